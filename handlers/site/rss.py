"""The public RSS feed of updates (specification 4.7)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO

import orjson
from feedgenerator import Rss201rev2Feed
from flask import Blueprint, Response, current_app

from openapi.vocabulary import Json
from storage.entries import page_latest
from storage.sources import changelog_pages

feeds = Blueprint("feeds", __name__)
NEWEST = 50
TTL_MINUTES = 60
TITLE = "Changewire: vendor updates"
DESCRIPTION = "The newest entries of all changelogs that Changewire follows."


@feeds.get("/rss/updates.xml")
def updates() -> Response:
    """Serve the newest entries of all sources."""
    services = current_app.extensions["changewire"]
    with services.db.read() as session:
        page = page_latest(session, limit=NEWEST, offset=0, now=services.now())
        entries = [orjson.loads(document) for document in page.documents]
        pages = changelog_pages(session, {str(entry["source"]) for entry in entries})
    body = rss_of(entries, pages, site_url=services.site_url)
    headers = {"Cache-Control": "public, max-age=60"}
    return Response(body, mimetype="application/rss+xml", headers=headers)


def rss_of(
    entries: Sequence[Mapping[str, Json]], pages: Mapping[str, str], *, site_url: str
) -> str:
    """Write RSS 2.0, the same bytes for the same entries.

    ``pages``: the changelog page of each source, the link of an entry that has none of its own.
    """
    feed = _Feed(
        title=TITLE,
        link=f"{site_url}/",
        description=DESCRIPTION,
        language="en",
        feed_url=f"{site_url}/rss/updates.xml",
        ttl=str(TTL_MINUTES),
    )
    for entry in entries:
        source = str(entry["source"])
        tags = entry["tags"]
        assert isinstance(tags, list)
        feed.add_item(
            title=str(entry["title"]),
            link=str(entry["url"] or pages[source]),
            description=str(entry["summary"] or ""),
            unique_id=f"{source}:{entry['id']}",
            unique_id_is_permalink=False,
            pubdate=datetime.fromisoformat(str(entry["published_at"])),
            categories=[str(entry["vendor"]), *(str(tag) for tag in tags)],
        )
    out = StringIO()
    feed.write(out, "utf-8")
    return out.getvalue()


class _Feed(Rss201rev2Feed):  # type: ignore[misc] # the library has no types
    """An RSS feed whose lastBuildDate is its newest entry's, never the clock's."""

    def latest_post_date(self) -> datetime:
        """Return the newest publish time; of an empty feed, the beginning of time."""
        dates: list[datetime] = [item["pubdate"] for item in self.items]
        return max(dates, default=datetime(1970, 1, 1, tzinfo=UTC))
