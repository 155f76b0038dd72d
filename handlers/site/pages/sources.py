"""Which sources there are: "do you follow X?", a source, a vendor, a request.

Strangers see what the sample of the API has of a source (specification 2.2), five at a time.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import chain
from typing import Final
from urllib.parse import quote

import orjson
from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.context import Context
from handlers.http.client_ip import bucket_of
from handlers.http.rate_limits import THROTTLED, count_request
from handlers.site.drawings import Axis
from handlers.site.error_pages import or_404
from handlers.site.forms import parse_word
from handlers.site.pages.diff_view import newest_heads
from handlers.site.pages.lists import LATEST, SEARCH, SEARCH_PATH, ListView, pushed_ways, show_list
from handlers.site.pages.source_drawings import (
    cadence_words,
    health_bars,
    health_sentence,
    year_of_entries,
)
from handlers.site.radar import RadarDeadline, axis_of, radar_deadlines
from handlers.site.services import (
    cached,
    catalog_figures,
    client_address,
    current_time,
    read,
    site_services,
    write,
)
from handlers.site.session import current_user, done
from handlers.site.words import REASONS, HealthWords, ago, health_words
from openapi.requests import InvalidRequest
from openapi.text import counted
from openapi.validation import contract_validator
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem, find_item, items_of, page_items
from storage.catalog.packages import purls_of
from storage.catalog.requests import add_request
from storage.catalog.search.catalog_search import search_index
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import sample_ids
from storage.entries.entry_filter import FILTERS
from storage.entries.search.matching import Scope
from storage.scheduling.progress import health_of_days

sources = Blueprint("sources", __name__)
ANSWERS: Final = 5
NAMED: Final = 3  # sources and vendors above the entries of a search
PUBLIC_ENTRIES: Final = 50
LARGEST: Final = 60  # vendors that are shown first
MOST_VENDORS: Final = 600
TAGS: Final = 30
WRONG_ADDRESS: Final = (
    "Enter the changelog’s URL, starting with https:// or http://, without a user or password."
)
NEWEST_DIFFS: Final = 6
MOST_DEADLINES: Final = 24
SHORTEST_AXIS: Final = timedelta(days=183)
LONGEST_AXIS: Final = timedelta(days=3 * 366)
HISTORY: Final = ListView(
    "",
    chosen=frozenset(),
    scope=Scope.WHOLE,
    hidden=frozenset({"sources", "vendor", "tag", "kind"}),
    size=28,
)
"""All that a source published, undated and future entries too."""
FEW: Final = 3
"""Entries in 180 days, with which a vendor's cadence is known."""


@sources.get("/sources")
def ask(*, url: str = "", note: str = "", fault: str | None = None) -> str:
    """Answer "do you follow X?" with five sources and the count."""
    now, words = current_time(), parse_word(request.args.get("q"))
    with read() as session:
        total, items = _found(session, words, now=now)
    return render_template(
        "public_sources.html",
        query=words,
        total=total,
        samples=items,
        figures=catalog_figures(),
        url=url,
        note=note,
        fault=fault,
    )


@sources.get(SEARCH_PATH)
def search() -> str:
    """Show the sources and vendors that words name, then the entries that have them."""
    now, words = current_time(), parse_word(request.args.get("q"))
    items: list[CatalogItem] = []
    if words and "offset" not in request.args:
        with read() as session:
            _, items = _found(session, words, now=now)
    vendors = dict.fromkeys(item.vendor for item in items)
    return show_list(SEARCH, "search.html", found=items[:NAMED], vendors=list(vendors)[:NAMED])


@sources.post("/sources/request")
def request_source() -> AnyResponse | tuple[str, int]:
    """Store a request for a source as the API does, counted in the same allowance."""
    services = site_services()
    bucket = bucket_of(client_address())
    count_request(services, f"{THROTTLED}/{bucket}", services.request_limits)
    url, note = request.form.get("url", "").strip(), request.form.get("note", "").strip()
    body = {"url": url, **({"note": note} if note else {})}
    try:
        contract_validator().body(THROTTLED, orjson.dumps(body), "application/json")
    except InvalidRequest:
        return ask(url=url, note=note, fault=WRONG_ADDRESS), 400
    with write() as session:
        add_request(session, url=url, note=note or None, now=current_time())
    return done(f"Thanks! We will look at {url}.", "sources.ask")


@sources.get("/vendors")
def vendors() -> str:
    """List vendors with the numbers of their sources: the largest, by letter, or by tag."""
    letter, tag = request.args.get("letter", "").lower(), parse_word(request.args.get("tag"))
    with read() as session:
        every = search_index(session).listed(lambda _: True)
    letters = sorted({_letter(source.vendor) for source in every})
    of_tag = [source.vendor for source in every if tag is None or tag in source.tags]
    counts = Counter(name for name in of_tag if letter not in letters or _letter(name) == letter)
    return render_template(
        "vendors.html",
        shown=sorted(counts.most_common(MOST_VENDORS if tag or letter in letters else LARGEST)),
        total=len(counts),
        letter=letter,
        tag=tag,
        letters=letters,
        tags=sorted(Counter(chain.from_iterable(s.tags for s in every)).most_common(TAGS)),
    )


def _letter(vendor: str) -> str:
    """Return the letter under which a vendor is listed; digits are together."""
    return "0" if vendor[0].isdigit() else vendor[0].lower()


@sources.get("/vendors/<vendor>")
def of_vendor(vendor: str) -> str:
    """Show the newest entries of a vendor, and five of its sources."""
    only, now = SourceFilter(vendor=vendor), current_time()
    with read() as session:
        total, items = page_items(session, only, limit=ANSWERS, now=now, products_first=True)
    or_404(total or None)
    hidden = frozenset({"sources", "vendor"})
    heading, fixed = vendor_names().get(vendor, vendor), {"vendor": vendor}
    view = replace(LATEST, heading=heading, fixed=fixed, hidden=hidden)
    return show_list(view, "vendor.html", found=total, samples=items, vendor=vendor)


@cached
def vendor_names(services: Context) -> dict[str, str]:
    """Return vendors' names by their slugs, where a source's name begins with the same letters."""
    with services.db.read() as session:
        every = search_index(session).listed(lambda _: True)
    heads = ((it.vendor, it.name[: w.end()]) for it in every for w in re.finditer(r"\w+", it.name))
    letters = [(it, head, re.sub(r"[\W_]", "", head.lower())) for it, head in heads]
    return {it: head for it, head, said in reversed(letters) if said == it.replace("-", "")}


def _found(session: Session, words: str | None, *, now: datetime) -> tuple[int, list[CatalogItem]]:
    """Return five sources that are meant, and how many there are; without words the sample."""
    if words is None:
        ids = sample_ids(session, limit=ANSWERS)
        items = {item.id: item for item in items_of(session, ids, now=now)}
        return len(ids), [items[id_] for id_ in ids]
    return page_items(session, SourceFilter(q=words), limit=ANSWERS, now=now)


@sources.get("/sources/<slug>")
def show(slug: str) -> str:
    """Show a source: to strangers its newest entries, to others its health and edits too."""
    services, viewer, now = site_services(), current_user(), current_time()
    with read() as session:
        item = or_404(find_item(session, slug, now=now))
    feed, deadlines = f"/subscribe?feed={slug}", f"/deadlines?vendor={quote(item.vendor)}"
    pushed, fixed = pushed_ways(f"?sources={slug}", item.name), {"sources": slug}
    ways = ((feed, "Feed"), *pushed, (deadlines, "Deadlines"))
    if viewer is None:
        view = ListView(item.name, fixed=fixed, hidden=frozenset(FILTERS), size=PUBLIC_ENTRIES)
        return show_list(view, "public_source.html", ways=ways, source=item)
    with read() as session:
        year = year_of_entries(session, item.id, now=now)
        health_days = health_bars(health_of_days(session, item.id, now=now), today=now.date())
        diffs = newest_heads(session, item.id, most=NEWEST_DIFFS) if viewer.has_diffs else None
        purls = purls_of(session, [item.id]).get(item.id, [])
    words = health_words(*services.judge(item, now))
    coming = [
        one for one in radar_deadlines() if one.source == item.slug and one.last_day >= now.date()
    ][:MOST_DEADLINES]
    return show_list(
        replace(HISTORY, heading=item.name, fixed=fixed),
        "source.html",
        ways=ways,
        item=item,
        health=words,
        reading=source_status_words(item, words, now=now),
        year=year,
        health_days=health_days,
        health_sentence=health_sentence(health_days),
        axis=deadline_axis(coming, today=now.date()) if coming else None,
        deadlines=coming,
        cadence=cadence_words(item.median_gap),
        diffs=diffs,
        purls=purls,
    )


def deadline_axis(deadlines: Sequence[RadarDeadline], *, today: date) -> Axis:
    """Draw deadlines on an axis from today to the last of them, three years at most."""
    last = max(deadline.last_day for deadline in deadlines)
    end = today + min(max(last + timedelta(days=20) - today, SHORTEST_AXIS), LONGEST_AXIS)
    return axis_of(deadlines, start=today, end=end, today=today)


def source_status_words(item: CatalogItem, words: HealthWords, *, now: datetime) -> str:
    """Return how a source is, and of one in trouble when it was and will be tried."""
    said = words.sentence
    if words.state == Health.OK and item.open_gap:
        said = "Read without errors, but entries may have been missed between two checks."
    elif words.state == Health.OK and not item.failures and item.entries_180d < FEW:
        entries = counted(item.entries_180d, "entry", "entries")
        said = f"Read without errors; rarely updated: {entries} in 180 days."
    elif item.first_attempt_at is None and words.state == Health.UNKNOWN:
        said = "Not read yet."
    elif item.failures and item.last_failure and item.last_attempt_at:
        reason = REASONS.get(item.last_failure, item.last_failure.replace("_", " "))
        said += f" Last check failed {ago(item.last_attempt_at, now)}: {reason}."
    elif words.state not in (Health.UNKNOWN, Health.PROBLEMATIC):
        return said
    next_at = max(item.next_check_at or now, now)
    return f"{said} Next check {'due now' if next_at == now else ago(next_at, now)}."
