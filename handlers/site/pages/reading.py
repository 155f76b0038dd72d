"""What vendors published, for everybody: the newest entries, and the important ones."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from flask import Blueprint, render_template, request, url_for

from handlers.site.forms import parse_offset
from handlers.site.services import site_services
from handlers.site.stream import StreamDay, stream_days, stream_line
from storage.entries.entry_pages import FeedEntry, newest_feed_entries

reading = Blueprint("reading", __name__)
PAGE: Final = 40
FARTHEST: Final = 4_000  # entries; older ones are found by searching
Ways = tuple[tuple[str, str], ...]
FOLLOW_LATEST: Final = (
    ("/rss/updates.xml", "RSS"),
    ("/feeds/updates.atom", "Atom"),
    ("/feeds/updates.json", "JSON Feed"),
    ("/app/webhooks", "Webhook"),
    ("/app/webhooks#digest", "Digest by mail"),
    ("/api/v1/latest", "JSON"),
)
FOLLOW_IMPORTANT: Final = (
    ("/rss/important.xml", "RSS"),
    ("/feeds/important.atom", "Atom"),
    ("/feeds/important.json", "JSON Feed"),
    ("/app/webhooks", "Webhook"),
    ("/app/webhooks#digest", "Digest by mail"),
    ("/api/v1/important", "JSON"),
)


@reading.get("/latest")
def latest() -> str:
    """Show the newest entries of all sources."""
    return _stream(
        "Latest",
        "Everything that vendors have published, newest first.",
        FOLLOW_LATEST,
        only_important=False,
    )


@reading.get("/important")
def important() -> str:
    """Show the newest important entries of all sources."""
    return _stream(
        "Important",
        "Breaking changes, deprecations and security fixes, in the vendors’ own words.",
        FOLLOW_IMPORTANT,
        only_important=True,
    )


def _stream(heading: str, lead: str, ways: Ways, *, only_important: bool) -> str:
    services = site_services()
    now, offset = services.now(), min(parse_offset(request.args.get("offset")), FARTHEST)
    with services.db.read() as session:
        entries = newest_feed_entries(
            session, most=PAGE + 1, now=now, only_important=only_important, offset=offset
        )
    more = len(entries) > PAGE and offset < FARTHEST
    return render_template(
        "entries.html",
        heading=heading,
        lead=lead,
        ways=ways,
        days=days_of(entries[:PAGE], now=now),
        offset=offset,
        newer=_page_at(max(0, offset - PAGE)) if offset else None,
        older=_page_at(offset + PAGE) if more else None,
    )


def days_of(entries: Sequence[FeedEntry], *, now: datetime) -> list[StreamDay]:
    """Return stored entries as days of a stream."""
    today = now.date()
    lines = [
        stream_line(entry.public, entry.importance, source_name=entry.source_name, today=today)
        for entry in entries
    ]
    return stream_days(lines, today=today)


def _page_at(offset: int) -> str:
    return url_for(str(request.endpoint), offset=offset or None)
