"""What vendors published, for everybody: the newest, the important, and what a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from handlers.site.feeds.atom import ATOM
from handlers.site.feeds.json_feed import JSON_FEED
from handlers.site.feeds.rss import RSS
from handlers.site.forms import parse_offset
from handlers.site.marked_words import SearchedWords, searched_words
from handlers.site.radar import moved_days
from handlers.site.services import site_services
from handlers.site.stream import StreamDay, StreamLine, history_days, stream_days, stream_line
from handlers.site.stream_filter import StreamFilter, narrowed_by, parse_stream_filter
from handlers.site.words import KIND_NAMES
from openapi.vocabulary import Category, SearchOrder
from storage.entries.deadlines import stated_by_entries
from storage.entries.entry_pages import FeedEntry, find_feed_entries, newest_feed_entries
from storage.entries.search.query import parse_query

reading = Blueprint("reading", __name__)
PAGE: Final = 40
FARTHEST: Final = 4_000  # entries; older ones are found by a day
SEARCH_PATH: Final = "/search"
WEBHOOK: Final = ("/app/webhooks", "Webhook")
DIGEST: Final = ("/app/webhooks#digest", "Digest by mail")
SAVE: Final = "Save this filter"
Ways = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ListView:
    """A stream: its words, its feeds, and the list of the API that has the same."""

    heading: str
    lead: str
    feeds: Ways
    api: str
    only_important: bool = False


LATEST: Final = ListView(
    "Latest",
    "Everything that vendors have published, newest first.",
    (
        ("/rss/updates.xml", "RSS"),
        ("/feeds/updates.atom", "Atom"),
        ("/feeds/updates.json", "JSON Feed"),
    ),
    "/api/v1/latest",
)
IMPORTANT: Final = ListView(
    "Important",
    "Breaking changes, deprecations and security fixes, in the vendors’ own words.",
    (
        ("/rss/important.xml", "RSS"),
        ("/feeds/important.atom", "Atom"),
        ("/feeds/important.json", "JSON Feed"),
    ),
    "/api/v1/important",
    only_important=True,
)
SEARCH: Final = ListView(
    "Search",
    "Words in the headlines and texts of all entries.",
    LATEST.feeds,
    LATEST.api,
)
TYPES: Final = {"RSS": RSS, "Atom": ATOM, "JSON Feed": JSON_FEED}


@reading.get("/latest")
def latest() -> str:
    """Show the newest entries of all sources."""
    return _stream(LATEST, parse_stream_filter(request.args))


@reading.get("/important")
def important() -> str:
    """Show the newest important entries of all sources."""
    return _stream(IMPORTANT, parse_stream_filter(request.args))


@reading.get(SEARCH_PATH)
def search() -> str:
    """Show what words find."""
    return _stream(SEARCH, parse_stream_filter(request.args))


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of a stream; ``total`` is known of a search only. ``is_cut``: there may be more."""

    lines: list[StreamLine]
    more: bool = False
    total: int | None = None
    is_cut: bool = False


def _stream(view: ListView, wanted: StreamFilter) -> str:
    now = site_services().now()
    offset = min(parse_offset(request.args.get("offset")), FARTHEST)
    words = None if wanted.q is None else searched_words(parse_query(wanted.q))
    page = _list_page(view, wanted, words, offset=offset, now=now)
    path = request.path
    return render_template(
        "entries.html",
        view=view,
        searching=view is SEARCH,
        wanted=wanted,
        words=words,
        ways=ways_of(view, wanted),
        alternates=alternates_of(view, wanted),
        chips=chips_of(wanted, path),
        orders=orders_of(wanted, path) if page.total is not None else [],
        kinds=KIND_NAMES,
        lines=page.lines,
        days=[] if wanted.order else stream_days(page.lines, today=now.date()),
        total=page.total,
        is_cut=page.is_cut,
        offset=offset,
        newer=wanted.link(path, max(0, offset - PAGE)) if offset else None,
        older=wanted.link(path, offset + PAGE) if page.more else None,
    )


def _list_page(
    view: ListView, wanted: StreamFilter, words: SearchedWords | None, *, offset: int, now: datetime
) -> ListPage:
    if view is SEARCH and not wanted.narrows:
        return ListPage([])
    filter_, important = wanted.entry_filter(), view.only_important
    total, is_cut = None, False
    with site_services().db.read() as session:
        if words is not None:
            found = find_feed_entries(
                session,
                filter_,
                limit=PAGE + 1,
                offset=offset,
                now=now,
                only_important=important,
                order=wanted.order or SearchOrder.DATE,
            )
            entries = found.entries
            is_cut = found.is_cut
            total = found.total if view is SEARCH else None
        else:
            entries = newest_feed_entries(
                session,
                filter_,
                most=PAGE + 1,
                now=now,
                only_important=important,
                offset=offset,
            )
    more = len(entries) > PAGE and offset < FARTHEST
    return ListPage(lines_of(entries[:PAGE], now=now, words=words), more, total, is_cut)


def ways_of(view: ListView, wanted: StreamFilter) -> Ways:
    """Return the ways to follow a stream."""
    query = wanted.api_query()
    feeds = tuple((path + query, words) for path, words in view.feeds)
    saved = ((f"/app/filters{saved_query(view, wanted)}#new", SAVE),) if wanted.narrows else ()
    return (*feeds, WEBHOOK, DIGEST, (view.api + query, "API"), *saved)


def alternates_of(view: ListView, wanted: StreamFilter) -> list[tuple[str, str, str]]:
    """Return the feeds of a narrowed stream for the head of its page: address, type, title."""
    if not wanted.narrows:
        return []
    query, said = wanted.api_query(), " · ".join(narrowed_words(wanted))
    return [
        (path + query, TYPES[words], f"Changewire: {view.heading}, {said}")
        for path, words in view.feeds
    ]


def orders_of(wanted: StreamFilter, path: str) -> list[tuple[str, str, bool]]:
    """Return the orders of a search: words, address, and whether it is chosen."""
    orders = (("Newest first", None), ("Most relevant first", SearchOrder.RELEVANCE))
    return [
        (words, wanted.link(path, order=order), wanted.order is order) for words, order in orders
    ]


def saved_query(view: ListView, wanted: StreamFilter) -> str:
    """Return the filter of a stream as a query string: what is important has a category."""
    query = wanted.api_query()
    if not view.only_important or wanted.category:
        return query
    return f"{query}&{urlencode({'category': ','.join(Category)})}"


def chips_of(wanted: StreamFilter, path: str) -> list[tuple[str, str, bool]]:
    """Return the chips above a stream: words, address, and whether it is chosen.

    What else narrows the stream is a chip, too, which takes it away again; the words of a search
    stand in its field.
    """
    is_searched = wanted.q and path != SEARCH_PATH
    narrowed = {**({"q": f"“{wanted.q}”"} if is_searched else {}), **narrowed_by(wanted)}
    return [
        *(_category_chip(wanted, category, path) for category in Category),
        *((words, wanted.without(name).link(path), True) for name, words in narrowed.items()),
    ]


def narrowed_words(wanted: StreamFilter) -> list[str]:
    """Return what narrows a stream, in words."""
    search, category = wanted.q and f"“{wanted.q}”", wanted.category and wanted.category.value
    said = [search, category, *narrowed_by(wanted).values()]
    return [words for words in said if words]


def _category_chip(wanted: StreamFilter, category: Category, path: str) -> tuple[str, str, bool]:
    chosen = wanted.category is category
    address = wanted.link(path, category=None if chosen else category)
    return category.value.capitalize(), address, chosen


def days_of(
    entries: Sequence[FeedEntry], *, now: datetime, words: SearchedWords | None = None
) -> list[StreamDay]:
    """Return stored entries as days or months of a history; ``words`` were searched."""
    return history_days(lines_of(entries, now=now, words=words), today=now.date())


def lines_of(
    entries: Sequence[FeedEntry], *, now: datetime, words: SearchedWords | None = None
) -> list[StreamLine]:
    """Return stored entries as lines of a stream; ``words`` were searched."""
    if not entries:
        return []
    today = now.date()
    with site_services().db.read() as session:
        stated = stated_by_entries(session, [entry.key for entry in entries])
    return [
        stream_line(
            entry.public,
            entry.importance,
            source_name=entry.source_name,
            today=today,
            words=words,
            deadlines=stated[entry.key].values(),
            moved=moved_days,
        )
        for entry in entries
    ]
