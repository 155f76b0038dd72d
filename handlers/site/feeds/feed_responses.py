"""The feeds of all sources: their paths, and their ETags, made without writing the feed.

Most requests of readers find nothing new (docs/decisions/0049).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from handlers.http.caching import etag_of_state
from handlers.site.feeds.formats import IMPORTANT, UPDATES, Channel
from storage.entries.states import FeedState

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
    """A feed as it was written, with its ETag."""

    etag: str
    body: bytes
    changed_at: datetime | None
    content_type: str


def etag_of_feed(
    state: FeedState, path: str, *, site_url: str, filter_text: str = "", hub: str | None = None
) -> str:
    """Return the ETag of a feed of all sources, narrowed by a filter or not."""
    totals = state.totals
    if CHANNELS[path].only_important:
        shown: tuple[int, ...] = (totals.important, state.important_ahead)
    else:
        shown = (totals.entries, state.ahead, state.newest, totals.public_version)
    depends = (*shown, totals.important_version, totals.catalog_version)
    variant = f"{path}?{filter_text}" if filter_text else path if hub is None else f"{path} {hub}"
    return etag_of_state(site_url, variant, *depends)


def hub_links(address: str, hub: str | None) -> dict[str, str]:
    """Return the header that names a feed's hub and the feed itself (WebSub, section 4)."""
    return {} if hub is None else {"Link": f'<{hub}>; rel="hub", <{address}>; rel="self"'}
