"""Documents of RSS with some items, and what is read of them."""

from changelog_reader.adapters.base import ParsedEntry
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.vocabulary import Json

ADDRESS = "https://feeds.example/{}?key=a&b=c"


def entry_as_json(entry: ParsedEntry) -> dict[str, Json]:
    return {
        "vendor_id": entry.vendor_id,
        "title": entry.title,
        "url": entry.url,
        "published_at": entry.published_at and entry.published_at.isoformat(),
        "updated_at": entry.updated_at and entry.updated_at.isoformat(),
        "date_source": entry.date_source,
        "summary": entry.summary and entry.summary.split("\n"),
        "html": entry.html,
        "raw": dict(entry.raw),
    }


def rss(*items: str, channel: str = "") -> bytes:
    joined = "".join(f"<item>{item}</item>" for item in items)
    return f'<rss version="2.0"><channel>{channel}{joined}</channel></rss>'.encode()


def read_rss(*items: str, channel: str = "", address: str = "https://acme.example/feed") -> Json:
    document = parse_feed(rss(*items, channel=channel), address=address, content_type=None)
    return [entry_as_json(entry) for entry in document.entries]
