"""The catalog, in which an account follows sources, and what a key reads of them.

See docs/decisions/0013.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, Final

from flask import Blueprint, Response, abort, flash, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.browsers import log_event
from handlers.site.account.keys import own_live_key
from handlers.site.account.sign_in import FIRST, local_path
from handlers.site.feeds.opml import OPML, as_opml, look_up, read_opml
from handlers.site.forms import parse_offset, parse_word
from handlers.site.services import (
    SourceHealth,
    current_time,
    read,
    site_services,
    source_healths,
    write,
)
from handlers.site.session import done, require_sign_in, signed_in_user
from handlers.site.words import KIND_NAMES, REASONS, TIER_NAMES, health_words
from openapi.vocabulary import Health, Kind, Tier
from package_versions.component import of_purl
from storage.catalog.addresses import directory, public_sources
from storage.catalog.catalog_items import items_of, page_items
from storage.catalog.requests import add_request
from storage.catalog.search.catalog_search import search_index
from storage.catalog.search.index import IndexedSource
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import ids_of
from storage.models.people import AccountEventKind
from storage.people.accounts import Refused
from storage.people.follows import (
    TooManySources,
    account_follows,
    follow_sources,
    key_sources,
    narrow_key,
    unfollow_sources,
    widen_key,
)
from storage.people.keys import is_live, list_keys
from storage.people.plans import PLANS
from storage.people.throttle import Limit

follows = Blueprint("follows", __name__, url_prefix="/app")
follows.before_request(require_sign_in)
OF_KEY: Final = "/api-keys/<public_id>/sources"
PER_ACCOUNT: Final = (Limit(20, timedelta(minutes=1)), Limit(200, timedelta(days=1)))
MOST_ASKED: Final = 300  # parts of one request
NAMED: Final = 10  # slugs and lines that a notice names; a cookie carries it
PAGE: Final = 30
SHOWN_VALUES: Final = 60
ORDERS: Final = {"": "Best match", "name": "Name", "newest": "Newest entry"}
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
    "sort": [*ORDERS],
}


@follows.get("/sources")
def browse() -> str:
    """Show the catalog, and what the account follows."""
    services, owner, now = site_services(), signed_in_user(), current_time()
    asked = {name: word for name in ASKED if (word := parse_word(request.args.get(name)))}
    wrong = {n: asked.pop(n) for n in asked.keys() & _IN_ORDER if asked[n] not in _IN_ORDER[n]}
    offset = parse_offset(request.args.get("offset"))
    healths = {source.id: source for source in source_healths()}
    with read() as session:
        index = search_index(session)
        sources = index.find(asked["q"]) if "q" in asked else index.listed(lambda _: True)
        left, facets = narrowed(sources, healths, asked)
        shown = in_order(left, asked.get("sort", ""), healths)[offset:][:PAGE]
        items = {it.id: it for it in items_of(session, [each.id for each in shown], now=now)}
        chosen = account_follows(session, owner.account_id)
        _, mine = page_items(session, SourceFilter(slugs=frozenset(chosen)), now=now)
        has_key = any(is_live(key, now=now) for key in list_keys(session, owner.account_id))
    return render_template(
        "choosing.html",
        has_key=has_key,
        asked=asked,
        wrong=wrong,
        offset=offset,
        total=len(left),
        rows=[(source, items[source.id]) for source in shown if source.id in items],
        facets=facets,
        reasons=REASONS,
        value_name=value_name,
        orders=ORDERS,
        mine=mine,
        slots=PLANS[owner.plan].slots,
        size=PAGE,
        tiers={tier: name.removesuffix("s") for tier, name in TIER_NAMES.items()},
        health=services.judge,
        at=now,
    )


@follows.post("/sources")
def change() -> AnyResponse:
    """Follow or unfollow sources, or follow the products of a vendor; return to the page."""
    with read() as session:
        wanted = _products(session) if "all" in request.form else request.form.getlist("slug")
        found = ids_of(session, wanted)
    ids = {slug: found[slug] for slug in wanted if slug in found}
    if not ids:
        abort(404)
    if request.form.get("change") == "remove":
        with write() as session:
            unfollow_sources(session, signed_in_user().account_id, ids.values())
        flash(f"Unfollowed {_named(ids)}.")
    else:
        _follow(ids)
    return redirect(local_path(request.form.get("next"), FIRST), code=303)


def _products(session: Session) -> list[str]:
    vendor = request.form.get("vendor", "")
    index = search_index(session)
    products = index.listed(lambda each: each.vendor == vendor and each.tier == Tier.PRODUCT)
    return [source.slug for source in products]


def _follow(ids: dict[str, int]) -> None:
    """Follow sources in their order, as far as the slots of the plan reach, and say which."""
    new, left, fault, account_id = [], [], "", signed_in_user().account_id
    with write() as session:
        for slug, source_id in ids.items():
            try:
                if follow_sources(session, account_id, [source_id], now=current_time()):
                    new.append(slug)
            except TooManySources as error:
                left.append(slug)
                fault = str(error)
    if new or not left:
        flash(f"Following {_named(new or ids)}.")
    if left:
        flash(f"{fault} Not followed: {_named(left)}.", "fault")


def _named(slugs: Iterable[str]) -> str:
    with read() as session:
        names = {source.slug: source.name for source in search_index(session).sources}
    every = [names.get(slug, slug) for slug in slugs]
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more


@follows.get(OF_KEY)
def narrow(public_id: str) -> str:
    """Show what a key reads: all that the account follows, or some of it."""
    with read() as session:
        key = own_live_key(session, public_id)
        own = key_sources(session, key.id)
        sources = public_sources(session, own | account_follows(session, key.account_id))
    return render_template("narrow.html", key=key, own=own, sources=sources)


@follows.post(OF_KEY)
def set_sources(public_id: str) -> AnyResponse:
    """Narrow a key to sources, which the account follows then, or end that."""
    with write() as session:
        key = own_live_key(session, public_id, lock=True)
        ids = ids_of(session, request.form.getlist("slug"))
        if request.form.get("reads") == "all":
            widen_key(session, key)
        elif ids:
            narrow_key(session, key, ids.values(), now=current_time())
        else:
            raise Refused("Choose at least one source.")
        name = key.name
    return done(f"Key “{name}” updated.", "keys.overview")


@follows.errorhandler(Refused)
def refused(error: Refused) -> AnyResponse:
    """Lead back to the form, with what is wrong."""
    flash(str(error), "fault")
    form = "follows.narrow" if request.view_args else "follows.browse"
    return redirect(url_for(form, **(request.view_args or {})), code=303)


@follows.get("/sources.opml")
def export() -> Response:
    """Serve what the account follows as a file for feed readers."""
    services = site_services()
    with read() as session:
        followed = account_follows(session, signed_in_user().account_id)
        sources = public_sources(session, followed)
    title = "Changewire: following"
    body = as_opml(sources, title=title, site_url=services.site_url, now=current_time())
    with write() as session:
        log_event(session, AccountEventKind.EXPORTED, title)
    answer = Response(body, mimetype=OPML)
    answer.headers["Content-Disposition"] = 'attachment; filename="changewire.opml"'
    return answer


@follows.post("/sources/import")
def import_list() -> AnyResponse:
    """Follow the sources of an OPML file as far as slots reach; report unknown lines."""
    count_upload()
    file = request.files.get("list")
    document = b"" if file is None else file.read()
    if not document:
        raise Refused("Choose a file first.")
    lines = read_opml(document)
    with read() as session:
        catalog = directory(session)
    slugs, unknown = look_up(lines, catalog, site_url=site_services().site_url)
    if slugs:
        _follow({slug: catalog.by_slug[slug] for slug in slugs})
    if unknown:
        others = f"; and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
        flash(f"Not found: {'; '.join(unknown[:NAMED])}{others}.", "fault")
    return redirect(url_for("follows.browse"), code=303)


@follows.post("/sources/request")
def ask() -> str:
    """Ask for sources of parts that have none: the pages about them go to the operator."""
    count_upload()
    parts = [of_purl(purl) for purl in dict.fromkeys(request.form.getlist("part")[:MOST_ASKED])]
    pages = {it.page: f"{it.type}: {it.name}" for it in parts if it and it.page}
    if not pages or any(not page.isprintable() or " " in page for page in pages):
        abort(400)
    with write() as session:
        for page, note in pages.items():
            add_request(session, url=page, note=note, now=current_time())
    return render_template("asked.html", asked=[*pages.values()])


def count_upload() -> None:
    """Count a file or a request of the account. Raises RateLimited."""
    count_request(site_services(), f"proposals/{signed_in_user().account_id}", PER_ACCOUNT)


def value_name(facet: str, value: str) -> str:
    """Return the words for a value of a facet."""
    if facet == "health":
        return health_words(Health(value), None).label if value in list(Health) else value
    names: dict[str, Mapping[Any, str]] = {"tier": TIER_NAMES, "kind": KIND_NAMES}
    return names.get(facet, {}).get(value, value)


def narrowed(
    sources: Sequence[IndexedSource], healths: Mapping[int, SourceHealth], asked: Mapping[str, str]
) -> tuple[list[IndexedSource], dict[str, list[tuple[str, int]]]]:
    """Return what is left of some sources, and of each shown facet its values with their counts.

    Each facet counts what the others leave, so that its numbers say what another choice would give.
    """
    chosen = {name: asked[name] for name in FACETS if name in asked}
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
        updated = {id_: health.updated_at or _LONG_AGO for id_, health in healths.items()}
        return sorted(sources, key=lambda each: updated.get(each.id, _LONG_AGO), reverse=True)
    return sources


def _shown(name: str, counts: Counter[str], chosen: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the values of a facet: as they are listed everywhere, or the most frequent by name."""
    wanted = chosen.get(name)
    if name in _IN_ORDER:
        shown = [value for value in _IN_ORDER[name] if counts[value] or value == wanted]
    else:
        most = sorted(counts, key=lambda value: (-counts[value], value))[:SHOWN_VALUES]
        shown = sorted({*most, *([wanted] if wanted else [])})
    return [(value, counts[value]) for value in shown]
