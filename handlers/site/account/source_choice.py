"""The page of the catalog, on which an account follows sources (docs/decisions/0013)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final

from flask import render_template, request
from sqlalchemy.orm import Session

from handlers.site.forms import parse_offset, parse_word
from handlers.site.services import SourceHealth, current_time, site_services, source_healths
from handlers.site.session import signed_in_user
from handlers.site.words import KIND_NAMES, REASONS, TIER_NAMES, health_words
from openapi.vocabulary import Health, Kind, Tier
from storage.catalog.catalog_items import items_of, page_items
from storage.catalog.search.catalog_search import search_index
from storage.catalog.search.index import IndexedSource
from storage.catalog.source_filter import SourceFilter
from storage.people.follows import account_follows
from storage.people.keys import is_live, list_keys
from storage.people.plans import PLANS

PAGE: Final = 30


def value_name(facet: str, value: str) -> str:
    """Return the words for a value of a facet."""
    if facet == "health":
        return health_words(Health(value), None).label if value in list(Health) else value
    names: dict[str, Mapping[Any, str]] = {"tier": TIER_NAMES, "kind": KIND_NAMES}
    return names.get(facet, {}).get(value, value)


def source_choice_page(session: Session) -> str:
    """Return the page of the catalog, with what the account follows."""
    services, owner, now = site_services(), signed_in_user(), current_time()
    asked = {name: word for name in ASKED if (word := parse_word(request.args.get(name)))}
    offset = parse_offset(request.args.get("offset"))
    index = search_index(session)
    sources = index.find(asked["q"]) if "q" in asked else index.listed(lambda _: True)
    healths = {source.id: source for source in source_healths()}
    left, facets = narrow(sources, healths, {name: asked[name] for name in FACETS if name in asked})
    shown = in_order(left, asked.get("sort", ""), healths)[offset:][:PAGE]
    items = {item.id: item for item in items_of(session, [source.id for source in shown], now=now)}
    chosen = account_follows(session, owner.account_id)
    _, mine = page_items(session, SourceFilter(slugs=frozenset(chosen)), now=now)
    return render_template(
        "choosing.html",
        has_key=any(is_live(key, now=now) for key in list_keys(session, owner.account_id)),
        asked=asked,
        offset=offset,
        total=len(left),
        rows=[(source, items[source.id]) for source in shown if source.id in items],
        facets=facets,
        reasons=REASONS,
        value_name=value_name,
        orders=ORDERS,
        mine=mine,
        chosen=chosen,
        used=len(chosen),
        slots=PLANS[owner.plan].slots,
        size=PAGE,
        tiers={tier: name.removesuffix("s") for tier, name in TIER_NAMES.items()},
        health=services.judge,
        at=now,
        here=request.path,
    )


SHOWN_VALUES: Final = 60
ORDERS: Final = {"": "Best first", "name": "By name", "newest": "Newest entry first"}
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)
UNKNOWN: Final = SourceHealth(Health.UNKNOWN.value, None, None)
FACETS: Final[dict[str, Callable[[IndexedSource, SourceHealth], Iterable[str]]]] = {
    "tier": lambda source, _: (source.tier.value,),
    "kind": lambda source, _: (source.kind.value,),
    "health": lambda _, health: (health.health,),
    "tag": lambda source, _: source.tags,
    "vendor": lambda source, _: (source.vendor,),
    "reason": lambda _, health: () if health.failure is None else (health.failure,),
}
"""What a source can be narrowed by, and the values that it has of each."""
ASKED: Final = ("q", "sort", *FACETS)
_SHOWN: Final = ("tier", "kind", "health", "tag", "vendor")
_IN_ORDER: Final = {
    "tier": [tier.value for tier in Tier],
    "kind": [kind.value for kind in Kind],
    "health": [health.value for health in Health],
}


def narrow(
    sources: Sequence[IndexedSource],
    healths: Mapping[int, SourceHealth],
    chosen: Mapping[str, str],
) -> tuple[list[IndexedSource], dict[str, list[tuple[str, int]]]]:
    """Return what is left of some sources, and of each shown facet its values with their counts.

    Each facet counts what the others leave, so that its numbers say what another choice would give.
    """
    passed: list[IndexedSource] = []
    counts: dict[str, Counter[str]] = {name: Counter() for name in FACETS}
    for source in sources if chosen else ():
        health = healths.get(source.id, UNKNOWN)
        failed = [
            name for name, wanted in chosen.items() if wanted not in FACETS[name](source, health)
        ]
        if not failed:
            passed.append(source)
        elif len(failed) == 1:
            counts[failed[0]].update(FACETS[failed[0]](source, health))
    passed = passed if chosen else list(sources)
    of_passed = [healths.get(source.id, UNKNOWN) for source in passed]
    for name in _SHOWN:
        counts[name].update(chain.from_iterable(map(FACETS[name], passed, of_passed)))
    return passed, {name: _shown(name, counts[name], chosen) for name in _SHOWN}


def in_order(
    sources: list[IndexedSource], order: str, healths: Mapping[int, SourceHealth]
) -> list[IndexedSource]:
    """Return sources in an order; an unknown one changes nothing."""
    if order == "name":
        return sorted(sources, key=lambda source: (source.name.casefold(), source.slug))
    if order == "newest":
        return sorted(
            sources,
            key=lambda source: healths.get(source.id, UNKNOWN).updated_at or _LONG_AGO,
            reverse=True,
        )
    return sources


def _shown(name: str, counts: Counter[str], chosen: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the values of a facet: as they are listed everywhere, or the most frequent by name."""
    if name in _IN_ORDER:
        order = _IN_ORDER[name]
        return [
            (value, counts[value]) for value in order if counts[value] or value == chosen.get(name)
        ]
    most = sorted(counts, key=lambda value: (-counts[value], value))[:SHOWN_VALUES]
    wanted = chosen.get(name)
    named = {*most, *([wanted] if wanted else [])}
    return [(value, counts[value]) for value in sorted(named)]
