"""Filters and sort orders for a list of sources. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from handlers.site.services import SourceHealth
from openapi.vocabulary import Health, Kind, Tier
from storage.catalog.search.index import IndexedSource

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
    "adapter": lambda source, _: (source.adapter_type,),
    "reason": lambda _, health: () if health.failure is None else (health.failure,),
}
"""What a source can be narrowed by, and the values that it has of each."""
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
