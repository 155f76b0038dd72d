"""JSON Feed 1.1 (jsonfeed.org)."""

from collections.abc import Sequence
from typing import Final

import orjson

from handlers.site.feeds.formats import Channel, Item
from openapi.vocabulary import Json
from storage.entries.documents import timestamp

JSON_FEED: Final = "application/feed+json"


def json_feed_of(channel: Channel, items: Sequence[Item], *, site_url: str, path: str) -> bytes:
    """Write a JSON Feed, the same bytes for the same items.

    ``path`` is where it is served.
    """
    return orjson.dumps(
        {
            "version": "https://jsonfeed.org/version/1.1",
            "title": channel.title,
            "home_page_url": f"{site_url}/",
            "feed_url": site_url + path,
            "description": channel.description,
            "language": "en",
            "items": [_as_json(item) for item in items],
        }
    )


def _as_json(item: Item) -> dict[str, Json]:
    """Return an item, with our own fields in an extension object as the format requires."""
    edited = {} if item.edited_at is None else {"date_modified": timestamp(item.edited_at)}
    return {
        "id": item.id,
        "url": item.url,
        "title": item.title,
        "content_text": item.text,
        "date_published": timestamp(item.published_at),
        **edited,
        "authors": [{"name": item.source_name}],
        "tags": list(item.labels),
        "_changewire": {
            "source": item.source,
            "vendor": item.vendor,
            "categories": list(item.categories),
            "evidence": [{"category": category, "text": text} for category, text in item.evidence],
        },
    }
