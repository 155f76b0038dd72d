"""What vendors published, for everybody: the newest, the important, and what a search finds."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import urlencode

from flask import Blueprint, render_template, request

from handlers.site.forms import parse_offset
from handlers.site.services import site_services
from handlers.site.stream import StreamDay, StreamLine, stream_days, stream_line
from handlers.site.stream_filter import StreamFilter, parse_stream_filter
from handlers.site.words import KIND_NAMES
from openapi.vocabulary import Category
from storage.entries.entry_pages import FeedEntry, newest_feed_entries

reading = Blueprint("reading", __name__)
PAGE: Final = 40
FARTHEST: Final = 4_000  # entries; older ones are found by a day
WEBHOOK: Final = ("/app/webhooks", "Webhook")
DIGEST: Final = ("/app/webhooks#digest", "Digest by mail")
SAVE: Final = "Save this filter"
Ways = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class View:
    """A stream: its words, its feeds, and the list of the API that has the same."""

    heading: str
    lead: str
    feeds: Ways
    api: str
    only_important: bool = False


LATEST: Final = View(
    "Latest",
    "Everything that vendors have published, newest first.",
    (
        ("/rss/updates.xml", "RSS"),
        ("/feeds/updates.atom", "Atom"),
        ("/feeds/updates.json", "JSON Feed"),
    ),
    "/api/v1/latest",
)
IMPORTANT: Final = View(
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
SEARCH: Final = View(
    "Search",
    "Words in the headlines and texts of all entries, newest first.",
    (),
    "/api/v1/latest",
)


@reading.get("/latest")
def latest() -> str:
    """Show the newest entries of all sources."""
    return _stream(LATEST, parse_stream_filter(request.args))


@reading.get("/important")
def important() -> str:
    """Show the newest important entries of all sources."""
    return _stream(IMPORTANT, parse_stream_filter(request.args))


@reading.get("/search")
def search() -> str:
    """Show what words find."""
    return _stream(SEARCH, parse_stream_filter(request.args))


def _stream(view: View, wanted: StreamFilter) -> str:
    services = site_services()
    now, offset = services.now(), min(parse_offset(request.args.get("offset")), FARTHEST)
    entries: list[FeedEntry] = []
    if view is not SEARCH or wanted.narrows:
        with services.db.read() as session:
            entries = newest_feed_entries(
                session,
                wanted.entry_filter(),
                most=PAGE + 1,
                now=now,
                only_important=view.only_important,
                offset=offset,
            )
    more = len(entries) > PAGE and offset < FARTHEST
    path = request.path
    return render_template(
        "entries.html",
        view=view,
        searching=view is SEARCH,
        wanted=wanted,
        ways=ways_of(view, wanted),
        chips=chips_of(wanted, path),
        kinds=KIND_NAMES,
        days=days_of(entries[:PAGE], now=now),
        offset=offset,
        newer=wanted.link(path, max(0, offset - PAGE)) if offset else None,
        older=wanted.link(path, offset + PAGE) if more else None,
    )


def ways_of(view: View, wanted: StreamFilter) -> Ways:
    """Return the ways to follow a stream; feeds only where they have the very same entries."""
    feeds = () if wanted.narrows else view.feeds
    saved = ((f"/app/filters{saved_query(view, wanted)}#new", SAVE),) if wanted.narrows else ()
    return (*feeds, WEBHOOK, DIGEST, (view.api + wanted.api_query(), "JSON"), *saved)


def saved_query(view: View, wanted: StreamFilter) -> str:
    """Return the filter of a stream as a query string: what is important has a category."""
    query = wanted.api_query()
    if not view.only_important or wanted.category:
        return query
    return f"{query}&{urlencode({'category': ','.join(Category)})}"


def chips_of(wanted: StreamFilter, path: str) -> list[tuple[str, str, bool]]:
    """Return the chips above a stream: words, address, and whether it is chosen.

    What else narrows the stream is a chip, too, which takes it away again.
    """
    kind = None if wanted.kind is None else KIND_NAMES[wanted.kind]
    since, until = wanted.since and f"from {wanted.since}", wanted.until and f"to {wanted.until}"
    narrowed = {
        "vendor": wanted.vendor,
        "tag": wanted.tag,
        "kind": kind,
        "since": since,
        "until": until,
    }
    return [
        *(_category_chip(wanted, category, path) for category in Category),
        *(
            (words, wanted.without(name).link(path), True)
            for name, words in narrowed.items()
            if words
        ),
    ]


def _category_chip(wanted: StreamFilter, category: Category, path: str) -> tuple[str, str, bool]:
    chosen = wanted.category is category
    address = wanted.link(path, category=None if chosen else category)
    return category.value.capitalize(), address, chosen


def days_of(entries: Sequence[FeedEntry], *, now: datetime) -> list[StreamDay]:
    """Return stored entries as days of a stream."""
    return stream_days(lines_of(entries, now=now), today=now.date())


def lines_of(entries: Sequence[FeedEntry], *, now: datetime) -> list[StreamLine]:
    """Return stored entries as lines of a stream."""
    today = now.date()
    return [
        stream_line(entry.public, entry.importance, source_name=entry.source_name, today=today)
        for entry in entries
    ]
