"""Read a feed, classify its entries, and compare it with a later reading."""

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.importance import classify
from changelog_reader.snapshots.diff import diff
from changelog_reader.snapshots.snapshot import Snapshot, snapshot_of
from changelog_reader.vocabulary import AdapterType

FEED = """<rss version="2.0"><channel><title>Acme</title>
<item><guid>2</guid><title>The v1 API will be removed</title>
<description>The v1 API will be removed on 1 March 2027.</description>
<pubDate>Tue, 01 Dec 2026 09:00:00 GMT</pubDate></item>
<item><guid>1</guid><title>Faster builds</title>
<pubDate>Mon, 02 Nov 2026 09:00:00 GMT</pubDate></item>
</channel></rss>"""


def main() -> None:
    """Print the entries of a feed, and what a second reading changed."""
    for entry in _read(FEED).entries:
        found = classify(entry.title, entry.summary, published_at=entry.published_at)
        ends = [str(deadline.to) for deadline in found.deadlines]
        print(entry.published_at, entry.title, *found.categories, *ends)
    changes = diff(_snapshot(FEED), _snapshot(FEED.replace("Faster builds", "Builds are faster")))
    for change in changes.changes if changes else ():
        print(change.op, change.placed.item)


def _read(feed: str) -> ParsedDocument:
    read = ADAPTERS[AdapterType.RSS]
    return read(feed.encode(), address="https://acme.example/", content_type=None)


def _snapshot(feed: str) -> Snapshot:
    entries = [(entry.vendor_id or entry.title, entry) for entry in _read(feed).entries]
    return snapshot_of(entries, parser_version="1")


if __name__ == "__main__":
    main()
