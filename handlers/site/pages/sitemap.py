"""The sitemap (sitemaps.org): pages for everybody, the sample's sources, and their entries."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape

import orjson
from flask import Blueprint, Response

from handlers.site.permalinks import permalink
from handlers.site.services import site_services
from storage.catalog.catalog_items import items_of
from storage.catalog.sources import sample_ids
from storage.entries.documents import timestamp
from storage.entries.entry_pages import newest_feed_entries

sitemap = Blueprint("sitemap", __name__)
SAMPLE: Final = 5
NEWEST: Final = 50
PAGES: Final = (
    *("/", "/latest", "/important", "/deadlines", "/sources", "/plans"),
    *("/guide", "/docs", "/status", "/changelog"),
)
HEAD: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
)


@sitemap.get("/sitemap.xml")
def serve() -> Response:
    """Serve the sitemap."""
    return Response(sitemap_of(_addresses()), mimetype="application/xml")


def sitemap_of(addresses: Iterable[tuple[str, datetime | None]]) -> str:
    """Write addresses, each with the time of its last change where that is known."""
    lines = [
        f"<url><loc>{escape(site_services().site_url + path)}</loc>{_changed(changed_at)}</url>\n"
        for path, changed_at in addresses
    ]
    return f"{HEAD}{''.join(lines)}</urlset>\n"


def _changed(at: datetime | None) -> str:
    return "" if at is None else f"<lastmod>{timestamp(at.replace(microsecond=0))}</lastmod>"


def _addresses() -> Iterator[tuple[str, datetime | None]]:
    services = site_services()
    now = services.now()
    yield from ((path, None) for path in PAGES)
    with services.db.read() as session:
        for item in items_of(session, sample_ids(session, limit=SAMPLE), now=now):
            yield f"/sources/{item.slug}", item.last_updated_at
            entries = newest_feed_entries(
                session, most=NEWEST, now=now, only_important=False, source_id=item.id
            )
            for entry in entries:
                yield permalink(item.slug, orjson.loads(entry.public)["id"]), entry.changed_at
