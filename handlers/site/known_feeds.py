"""The public feeds for who has them already: known by their ETag before they are written.

Readers come back all day, and mostly nothing has changed. Whoever names the ETag of a feed gets a
304 from the event loop if it still is as it was; everybody else goes on to the pages, where a feed
is written once for as long as it says the same (docs/decisions, ETags from states).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlalchemy.exc import DBAPIError
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.answer import etag_of_state, if_none_match_of, matches
from handlers.context import Context
from handlers.site.formats import IMPORTANT, UPDATES, Channel
from handlers.site.protection import HEADERS, YEAR
from handlers.site.services import is_https
from storage.glance import NotAtAGlance
from storage.states import FeedState, feed_state

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


@dataclass(frozen=True, slots=True)
class WrittenFeed:
    """A feed as it was written for an ETag."""

    etag: str
    body: bytes
    changed_at: datetime | None


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
        """Answer who has the feed; pass everything else on."""
        etag = self._known(scope)
        if etag is None:
            await self._pages(scope, receive, send)
            return
        answer = Response(status_code=304, headers={**self._headers, "ETag": etag})
        await answer(scope, receive, send)

    def _known(self, scope: Scope) -> str | None:
        if scope.get("path") not in CHANNELS or scope["method"] not in ("GET", "HEAD"):
            return None
        wanted = if_none_match_of(scope)
        if not wanted:
            return None
        services = self._services
        try:
            with services.glance.view(), services.db.read() as session:
                state = feed_state(session, now=services.now())
        except (NotAtAGlance, DBAPIError):
            return None
        etag = etag_of_feed(state, scope["path"], site_url=services.site_url)
        return etag if matches(wanted, etag) else None
