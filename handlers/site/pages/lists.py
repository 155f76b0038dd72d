"""Every list of entries: one view and one template with another filter each."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any, Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request
from sqlalchemy.orm import Session

from handlers.site.error_pages import or_404
from handlers.site.feeds.formats import TYPES, feeds_of
from handlers.site.forms import parse_choice, parse_offset, parse_word
from handlers.site.lines import ListLine, history_days, list_line, rows_of
from handlers.site.list_filter import ListFilter, parse_list_filter
from handlers.site.marked_words import SearchedWords, searched_words
from handlers.site.radar import deadlines_of
from handlers.site.services import current_time, read, site_services
from handlers.site.session import current_user
from openapi.vocabulary import Category, DeadlineKind, SearchOrder
from storage.catalog.catalog_items import find_item
from storage.catalog.search.catalog_search import search_index
from storage.entries.entry_filter import FILTERS
from storage.entries.entry_pages import LOOKED_AHEAD, FeedEntry, RowPage, list_entries
from storage.entries.entry_query import PUBLIC, PUBLIC_IMPORTANT, EntryList
from storage.entries.search.matching import Scope
from storage.entries.search.query import parse_query
from storage.models import SavedFilter
from storage.people.saved_filters import list_filters

reading = Blueprint("reading", __name__)
PAGE: Final = 40
FEWEST_ROWS: Final = 12  # of a page, in which many entries of a source in a day are one
MOST_ENTRIES: Final = 160  # that are read to fill it
FARTHEST: Final = 4_000  # entries; older ones are found by a day
SEARCH_PATH: Final = "/search"
FOLLOWING_PATH: Final = "/following"
Ways = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ListView:
    """A list: its words, its entries, its feeds, and the list of the API that has the same.

    ``sources``: the only ones that it has, None for all. ``fixed``: its own filter, by parameter.
    ``hidden``: parameters that its address cannot have; with all of them it is one page.
    """

    heading: str
    lead: str = ""
    feed: str = ""
    api: str = "/api/v1/latest"
    chosen: frozenset[str] = PUBLIC
    scope: Scope = Scope.PUBLIC
    sources: frozenset[str] | None = None
    fixed: dict[str, str] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset({"sources"})
    size: int = PAGE

    @property
    def feeds(self) -> Ways:
        """Return its feeds, for programs that look for them: paths and formats."""
        return feeds_of(self.feed) if self.feed else ()

    @property
    def is_one_page(self) -> bool:
        """Return True if the list has neither filters nor pages."""
        return self.hidden.issuperset(FILTERS)


LATEST: Final = ListView("Latest", "All vendor updates, newest first.", "updates")
IMPORTANT: Final = ListView(
    "Important",
    "Breaking changes, deprecations and security fixes in the vendors’ own words.",
    "important",
    "/api/v1/important",
    chosen=PUBLIC_IMPORTANT,
)
SEARCH: Final = replace(LATEST, heading="Search", lead="Search all entries.")


@reading.get("/latest")
def latest() -> str:
    """Show the newest entries of all sources."""
    return show_list(LATEST)


@reading.get("/important")
def important() -> str:
    """Show the newest important entries of all sources."""
    return show_list(IMPORTANT)


def show_list(
    view: ListView,
    template: str = "entries.html",
    *,
    ways: Ways | None = None,
    since: datetime | None = None,
    **more: Any,
) -> str:
    """Show a page of a list, by default with the ways to follow it that everybody has.

    ``since``: what was first seen later is new to the reader.
    """
    now, wanted = current_time(), requested_filter(view)
    offset = min(parse_offset(request.args.get("offset")), 0 if view.is_one_page else FARTHEST)
    words = searched_words(parse_query(wanted.get("q"))) if wanted.get("q") else None
    with read() as session:
        entries, counted = _page(session, view, wanted, offset=offset, now=now)
        size = _filled(entries, counted, view.size)
        lines = lines_of(entries[:size], now=now, words=words, since=since)
        tabs = tabs_of(wanted, saved_filters(session))
        unknown = {} if entries else _unknown(session, wanted)
    has_older = len(entries) > size and offset < FARTHEST and not view.is_one_page
    return render_template(
        template,
        view=view,
        searching=view is SEARCH,
        tabs=tabs,
        wanted=wanted,
        unknown=unknown,
        words=words,
        ways=ways_of(view, wanted) if ways is None else ways,
        types=TYPES,
        lines=lines,
        days=history_days(lines, today=now.date()),
        total=counted and counted.total,
        is_cut=counted is not None and counted.is_cut,
        offset=offset,
        newer=wanted.link(request.path, max(0, offset - view.size)) if offset else None,
        older=wanted.link(request.path, offset + size) if has_older else None,
        **more,
    )


def requested_filter(view: ListView) -> ListFilter:
    """Return the filter of a list that the address of this request says."""
    return parse_list_filter(request.args, hidden=view.hidden, fixed=view.fixed)


def _page(
    session: Session, view: ListView, wanted: ListFilter, *, offset: int, now: datetime
) -> tuple[list[FeedEntry], RowPage | None]:
    if view is SEARCH and not wanted.narrows:
        return [], None
    filter_ = wanted.entry_filter().among(view.sources)
    order = wanted.order or SearchOrder.DATE
    listed = EntryList(now, view.chosen, filter_, scope=view.scope, order=order)
    folds = not (wanted.order or view.is_one_page or "sources" in view.fixed)
    limit = LOOKED_AHEAD if folds and filter_.q else view.size + 1  # a search has found as many
    entries, counted = list_entries(session, listed, limit=limit, offset=offset)
    if folds and len(entries) == view.size + 1 and rows_of(entries[:-1]) < FEWEST_ROWS:
        entries, _ = list_entries(session, listed, limit=MOST_ENTRIES + 1, offset=offset)
    return entries, counted


def _filled(entries: Sequence[FeedEntry], counted: RowPage | None, size: int) -> int:
    """Return how many entries fill a page: more than ``size`` where many are one row."""
    if len(entries) <= size + 1:
        return size
    counts = range(size, len(entries), size // 4)
    filled = (count for count in counts if rows_of(entries[:count]) >= FEWEST_ROWS)
    is_cut = counted is not None and counted.is_cut  # then one of them is for the next page
    return next(filled, min(len(entries) - is_cut, MOST_ENTRIES))


def _unknown(session: Session, wanted: ListFilter) -> dict[str, str]:
    """Return what a filter names and no source of the catalog has, by parameter."""
    every = search_index(session).listed(lambda _: True)
    known = {
        "vendor": {source.vendor for source in every},
        "tag": set(chain.from_iterable(source.tags for source in every)),
        "sources": {source.slug for source in every},
    }
    return {
        name: text
        for name, text in wanted.said.items()
        if name in known and known[name].isdisjoint(text.split(","))
    }


def saved_filters(session: Session) -> Sequence[SavedFilter]:
    """Return the saved filters of the signed-in user."""
    viewer = current_user()
    return [] if viewer is None else list_filters(session, viewer.account_id)


def saved_as(wanted: ListFilter, saved: Sequence[SavedFilter]) -> SavedFilter | None:
    """Return the saved filter that says the same, if there is one."""
    return next((each for each in saved if each.query == wanted.query()), None)


def tabs_of(wanted: ListFilter, saved: Sequence[SavedFilter]) -> list[tuple[str, str, bool]]:
    """Return the lists that are beside each other: words, address, and whether it is shown."""
    path = request.path
    same = saved_as(wanted, saved) if path == FOLLOWING_PATH else None
    following = [("Following", FOLLOWING_PATH, path == FOLLOWING_PATH and same is None)]
    return [
        *(following if current_user() else []),
        ("Everything", "/latest", path == "/latest"),
        ("Important", "/important", path == "/important"),
        ("Edited", "/edits", path == "/edits"),
        *((each.name, f"{FOLLOWING_PATH}?{each.query}", each is same) for each in saved),
    ]


def ways_of(view: ListView, wanted: ListFilter) -> Ways:
    """Return the ways to follow a list that everybody may read."""
    query, vendor = address("", wanted.query()), wanted.entry_filter().vendor
    feed = (f"/subscribe?feed={view.feed}{query.replace('?', '&')}", "Feed")
    heading = "" if view in (LATEST, SEARCH) else view.heading
    narrowed, name = saved_query(view, wanted), wanted.name(heading)
    ways = [feed, *pushed_ways(narrowed, name), (view.api + query, "API")]
    if vendor:
        ways.append((f"/deadlines?{urlencode({'vendor': vendor})}", "Deadlines"))
    if query:
        ways.append((way_to("list", narrowed, name), "Save filter"))
    return tuple(ways)


def pushed_ways(query: str, name: str) -> Ways:
    """Return the ways to a webhook and a digest of a filter, which they save if it has any."""
    if not query:
        return ("/app/webhooks#new", "Webhook"), ("/app/webhooks#digest", "Digest")
    return (way_to("webhook", query, name), "Webhook"), (way_to("digest", query, name), "Digest")


def way_to(then: str, query: str, name: str) -> str:
    """Return the address that saves a filter for a purpose; it asks first if it is only opened."""
    return f"/app/filters{query}&{urlencode({'name': name[:80], 'then': then})}#new"


@reading.get("/subscribe")
def subscribe() -> str:
    """Show the addresses of a feed or a calendar, and how to subscribe to them."""
    name, wanted = request.args.get("feed", LATEST.feed), parse_list_filter(request.args)
    query, wrong = wanted.query(), {**wanted.wrong}
    paths: Ways
    if name == "deadlines":
        paths, ends = (("/deadlines.ics", "Calendar"),), parse_word(request.args.get("ends"))
        kind = parse_choice(DeadlineKind, ends)
        query = "&".join(filter(None, (query, kind and f"ends={kind}")))
        wrong |= {"ends": ends} if ends and not kind else {}
    elif name in (LATEST.feed, IMPORTANT.feed):
        paths = feeds_of(name)
    else:
        with read() as session:
            name = or_404(find_item(session, name, now=current_time())).name
        paths, query = ((f"/feeds/{request.args['feed']}.atom", "Atom"),), ""
    site_url = site_services().site_url
    addresses = [(words, address(site_url + path, query)) for path, words in paths]
    return render_template("subscribe.html", name=name, addresses=addresses, wrong=wrong)


def address(path: str, *queries: str) -> str:
    """Return an address with query strings, of which some may be empty."""
    query = "&".join(filter(None, queries))
    return f"{path}?{query}" if query else path


def saved_query(view: ListView, wanted: ListFilter) -> str:
    """Return the filter of a list as a query string: what is important has a category."""
    is_whole = view is IMPORTANT and not wanted.categories
    category = urlencode({"category": ",".join(Category)}) if is_whole else ""
    return address("", wanted.query(), category)


def lines_of(
    entries: Sequence[FeedEntry],
    *,
    now: datetime,
    words: SearchedWords | None = None,
    since: datetime | None = None,
) -> list[ListLine]:
    """Return stored entries as lines of a list; ``words`` were searched."""
    lines = []
    for entry in entries:
        coming = (one for one in deadlines_of(entry.path) if one.last_day >= now.date())
        name, path, why = entry.source_name, entry.path, entry.importance
        line = list_line(entry.public, why, path=path, source_name=name, words=words)
        is_new = since is not None and entry.first_seen_at > since
        lines.append(replace(line, deadline=next(coming, None), is_new=is_new))
    return lines
