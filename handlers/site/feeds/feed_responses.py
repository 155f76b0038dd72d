"""The public feeds in front of the pages: known by their ETag before they are written.

Readers come back all day, and mostly nothing has changed. As long as a feed says the same, it is
sent from the event loop as it was written once, or a 304 to who has it. Everything else goes on to
the pages, where feeds are written (docs/decisions/0049).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy.exc import DBAPIError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.context import Context
from handlers.http.conditional import etag_of_state, if_none_match_of, matches
from handlers.http.origin import is_https
from handlers.site.feeds.formats import IMPORTANT, UPDATES, Channel
from handlers.site.protection import HEADERS, YEAR
from storage.engine.read_in_place import NotAtAGlance
from storage.entries.states import FeedState, feed_state

CHANNELS: Final[Mapping[str, Channel]] = MappingProxyType(
    {
        "/rss/updates.xml": UPDATES,
        "/rss/important.xml": IMPORTANT,
        "/feeds/updates.atom": UPDATES,
        "/feeds/important.atom": IMPORTANT,
        "/feeds/updates.json": UPDATES,
        "/feeds/important.json": IMPORTANT,
    }
)
"""The feeds of all sources by path."""

FOR_EVERYBODY: Final = MappingProxyType(
    {"Cache-Control": "public, max-age=60", "Access-Control-Allow-Origin": "*"}
)

CONDITIONS: Final = frozenset(
    {b"if-match", b"if-modified-since", b"if-range", b"if-unmodified-since", b"range"}
)


@dataclass(frozen=True, slots=True)
class WrittenFeed:
    """A feed as it was written for an ETag."""

    etag: str
    body: bytes
    changed_at: datetime | None
    content_type: str


def etag_of_feed(state: FeedState, path: str, *, site_url: str) -> str:
    """Return the ETag of a feed of all sources."""
    totals = state.totals
    if CHANNELS[path].only_important:
        shown: tuple[int, ...] = (totals.important, state.important_ahead)
    else:
        shown = (totals.entries, state.ahead, state.newest, totals.public_moves)
    depends = (*shown, totals.important_moves, totals.catalog_moves)
    return etag_of_state(site_url, path, *depends)


class KnownFeeds:
    """ASGI application in front of the pages."""

    def __init__(self, pages: ASGIApp, services: Context) -> None:
        self._pages = pages
        self._services = services
        self._headers = dict(HEADERS) | dict(FOR_EVERYBODY)
        if is_https(services.site_url):
            self._headers["Strict-Transport-Security"] = f"max-age={YEAR}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a feed that is written already; pass everything else on."""
        answer = self._known(scope)
        await (self._pages if answer is None else answer)(scope, receive, send)

    def _known(self, scope: Scope) -> Response | None:
        path: str = scope.get("path", "")
        if path not in CHANNELS or scope["method"] not in ("GET", "HEAD"):
            return None
        wanted, kept = if_none_match_of(scope), self._services.feeds.get(path)
        if not wanted and kept is None:
            return None
        services = self._services
        try:
            with services.glance, services.db.read() as session:
                state = feed_state(session, now=services.now())
        except (NotAtAGlance, DBAPIError):
            return None
        etag = etag_of_feed(state, path, site_url=services.site_url)
        if wanted and matches(wanted, etag):
            return Response(status_code=304, headers={**self._headers, "ETag": etag})
        if kept is None or kept.etag != etag or not _is_plain(scope):
            return None
        return self._as_kept(kept)

    def _as_kept(self, feed: WrittenFeed) -> Response:
        headers = {**self._headers, "Content-Type": feed.content_type, "ETag": feed.etag}
        if feed.changed_at is not None:
            headers["Last-Modified"] = format_datetime(feed.changed_at, usegmt=True)
        return Response(feed.body, headers=headers)


def _is_plain(scope: Scope) -> bool:
    """Tell whether a request wants all of a feed and sets no condition that is not looked at."""
    return scope["method"] == "GET" and CONDITIONS.isdisjoint(
        [name for name, _ in scope["headers"]]
    )
