"""Serve feeds on loopback for bench/sweep.py: invented ones, or recorded ones of a folder.

    python bench/feeds.py PORT [--recorded FOLDER]

``/feed/N`` is RSS 2.0 for even N and Atom for odd N, with ETags and 304s. ``/publish/K`` publishes
one more item in every K-th feed. Recorded documents lack their newest item until then. The server
is a process of its own, so that its work is not counted as that of its readers.
"""

import asyncio
import random
import re
from collections import Counter
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from html import escape
from pathlib import Path
from xml.parsers import expat

from common import parser_of

ITEMS = 30
START = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCES = (
    "The {a} page now loads {n} % faster for accounts with many {b}.",
    "Fixed an error where {a} could be empty after a {b} was renamed.",
    "The <code>{a}_{b}</code> parameter accepts a list of up to {n} values.",
    'See <a href="/docs/{a}">the guide to {a}</a> for details.',
    "Thanks to everybody who reported trouble with {a} &amp; {b}.",
    "The colours of {b} follow the system\u2019s dark mode \u2013 also on phones.",
    "Nothing changes for existing {b}.",
)
IMPORTANT = (  # one item in eight
    "Version {n}.2 of the {a} library is deprecated and will be removed on 30 June 2027.",
    "<strong>Breaking:</strong> <code>{a}.{b}()</code> no longer returns <code>null</code>.",
    "A vulnerability in the handling of {a} was fixed; please upgrade to {n}.1.",
)
NOUNS = ("invoices", "webhooks", "projects", "tokens", "queries", "backups", "teams", "regions")
SUFFIXES = frozenset({".xml", ".atom", ".rss"})
ITEM = re.compile(rb"<(item|entry)[\s>].*?</\1>\s*", re.DOTALL)
HAS_ID = re.compile(rb"<(?:guid|id|link)[\s>]")  # reader refuses a feed with an item without


def recorded_feeds(folder: Path) -> list[tuple[bytes, bytes]]:
    """Return the feeds below a folder that any program can read, each without and with its newest.

    Those are well-formed documents with two items or more; of versions of one feed (``001.xml``,
    ``002.xml``, ...) the last counts.
    """
    paths = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)
    versions = {path.parent: path for path in paths if path.stem.isdigit()}
    chosen = [path for path in paths if not path.stem.isdigit()] + sorted(versions.values())
    found = []
    for document in dict.fromkeys(path.read_bytes() for path in chosen):
        items = list(ITEM.finditer(document))
        if len(items) > 1 and b"<rdf:RDF" not in document:  # RDF lists its items once more
            before = document[: items[0].start()] + document[items[0].end() :]
            has_ids = all(HAS_ID.search(item[0]) for item in items)
            if has_ids and is_well_formed(document) and is_well_formed(before):
                found.append((before, document))
    return found


def is_well_formed(document: bytes) -> bool:
    """Return whether an XML parser accepts a document."""
    with suppress(expat.ExpatError):
        return bool(expat.ParserCreate().Parse(document, True))
    return False


def paragraphs(number: int, item: int) -> str:
    """Return the HTML of an item: 100 to 4,000 characters, half of them under 500."""
    rng = random.Random(f"{number}/{item}")
    remaining = min(int(100 * 2 ** rng.expovariate(0.45)), 4_000)
    first = rng.sample(IMPORTANT, 1) if rng.random() < 1 / 8 else []
    written: list[str] = []
    while remaining > 0:
        chosen = [*first, *rng.sample(SENTENCES, rng.randint(1, 4))]
        first, tag = [], "li" if len(chosen) > 2 else "p"
        block = "".join(
            f"<{tag}>{sentence}</{tag}>".format(
                a=rng.choice(NOUNS), b=rng.choice(NOUNS), n=rng.randint(2, 60)
            )
            for sentence in chosen
        )
        written.append(f"<ul>{block}</ul>" if tag == "li" else block)
        remaining -= len(block)
    return "\n".join(written)


@lru_cache(maxsize=200_000)
def rss_item(number: int, item: int) -> str:
    """Return an item of RSS."""
    return (
        f"<item><title>Release {item}: {NOUNS[item % 8]} &amp; more</title>"
        f"<link>https://vendor{number}.example/changelog/{item}</link>"
        f"<guid isPermaLink='false'>{number}-{item}</guid>"
        f"<pubDate>{format_datetime(published_at(item), usegmt=True)}</pubDate>"
        f"<description>{escape(paragraphs(number, item), quote=False)}</description></item>\n"
    )


@lru_cache(maxsize=200_000)
def atom_entry(number: int, item: int) -> str:
    """Return an entry of Atom."""
    at = published_at(item).isoformat()
    return (
        f"<entry><id>tag:vendor{number}.example,2026:{item}</id>"
        f'<title type="html">{item} brings {NOUNS[item % 8]}</title>'
        f'<link rel="alternate" href="https://vendor{number}.example/news/{item}"/>'
        f"<published>{at}</published><updated>{at}</updated>"
        f'<content type="html">{escape(paragraphs(number, item))}</content></entry>\n'
    )


def published_at(item: int) -> datetime:
    """Return when an item was published: one every eight hours."""
    return START + timedelta(hours=8 * item)


@lru_cache(maxsize=4_000)
def feed(number: int, newest: int) -> bytes:
    """Return a feed whose newest item has this number."""
    shown, home = range(newest, newest - ITEMS, -1), f"https://vendor{number}.example/"
    if number % 2:
        return (
            '<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom">'
            f'<title>Vendor {number}</title><link href="{home}"/><id>{home}</id>'
            f"<updated>{published_at(newest).isoformat()}</updated>"
            f"{''.join(atom_entry(number, item) for item in shown)}</feed>"
        ).encode()
    return (
        '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel>'
        f"<title>Vendor {number}</title><link>{home}</link><description>News</description>"
        f"{''.join(rss_item(number, item) for item in shown)}</channel></rss>"
    ).encode()


class Vendors:
    """The state of all feeds."""

    def __init__(self, recorded: list[tuple[bytes, bytes]]) -> None:
        self._recorded = recorded
        self._more: Counter[int] = Counter()  # items published since the start, by step

    def response(self, path: str, head: bytes) -> bytes:
        """Return the response to a request."""
        kind, _, number = path.strip("/").partition("/")
        if kind == "publish":
            self._more[int(number)] += 1
            return b"HTTP/1.1 204 Done\r\n\r\n"
        if kind != "feed":
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        more = sum(times for step, times in self._more.items() if int(number) % step == 0)
        etag = b'"%d-%d"' % (int(number), more)
        if etag in head:
            return b"HTTP/1.1 304 Not Modified\r\nETag: %b\r\n\r\n" % etag
        if self._recorded:
            body = self._recorded[int(number)][min(more, 1)]
        else:
            body = feed(int(number), ITEMS + more)
        fields = b"Content-Type: application/xml\r\nContent-Length: %d\r\n" % len(body)
        return b"HTTP/1.1 200 OK\r\nETag: %b\r\n%b\r\n%b" % (etag, fields, body)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        with closing(writer), suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                writer.write(self.response(head.split(b" ", 2)[1].decode(), head))
                await writer.drain()


async def main() -> None:
    """Serve on every address of loopback until killed."""
    parser = parser_of(__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--recorded", type=Path)
    options = parser.parse_args()
    vendors = Vendors(recorded_feeds(options.recorded) if options.recorded else [])
    server = await asyncio.start_server(vendors.connected, "0.0.0.0", options.port, backlog=512)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
