"""Items as RSS 2.0 (specification 4.7), Atom (RFC 4287) and JSON Feed 1.1 (jsonfeed.org)."""

from collections.abc import Sequence
from typing import Final

import orjson
from flask import render_template

from handlers.site.feeds.formats import Channel, Item, last_change
from handlers.site.services import site_services
from handlers.site.vendor_text import vendor_html
from openapi.vocabulary import Json
from storage.entries.documents import timestamp

RSS: Final = "application/rss+xml"
ATOM: Final = "application/atom+xml"
JSON_FEED: Final = "application/feed+json"


def write_feed(
    media_type: str, channel: Channel, items: Sequence[Item], *, path: str, page: str | None = None
) -> str | bytes:
    """Return a feed, the same for the same items; it is served at ``path``.

    ``page`` is what it is a feed of, for people: by default the site's front page.
    """
    if media_type == JSON_FEED:
        return _json_feed(channel, items, path)
    return render_template(
        "rss.xml" if media_type == RSS else "atom.xml",
        channel=channel,
        items=items,
        changed_at=last_change(items),
        path=path,
        page=page,
    )


def _json_feed(channel: Channel, items: Sequence[Item], path: str) -> bytes:
    site_url = site_services().site_url
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
        "content_html": vendor_html(item.markup),
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
