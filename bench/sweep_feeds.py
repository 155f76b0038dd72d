"""Invented feeds, and a server of them or of recorded ones: what the sweeps are measured on.

    python bench/sweep_feeds.py PORT [--items 30] [--recorded FOLDER]

``/feed/N`` is RSS 2.0 for even N and Atom for odd N, with an ETag and a Last-Modified and 304s
for who sends them back. Items are like those of vendors: most are short, some are long, the
text is HTML with links, lists and code. ``/publish/K`` lets every K-th feed publish one more
item; the oldest leaves the feed. With ``--recorded`` feeds are the documents below a folder, which
lack their newest item until it is published. The server is a process of its own, so that its work
is not counted as that of whoever reads.
"""

import asyncio
import hashlib
import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import lru_cache
from html import escape
from pathlib import Path

from command_line import parser_of
from sweep_recorded import RecordedFeed, recorded_feeds

START = datetime(2026, 1, 1, tzinfo=UTC)
SENTENCES = (
    "The {a} page now loads {n} % faster for accounts with many {b}.",
    "Fixed a fault where {a} could be empty after a {b} was renamed.",
    "You can now filter {a} by {b} and by date.",
    "The <code>{a}_{b}</code> parameter accepts a list of up to {n} values.",
    "We improved how {a} are matched with {b} in reports.",
    'See <a href="/docs/{a}">the guide to {a}</a> for details.',
    "Thanks to everybody who reported trouble with {a} &amp; {b}.",
    "Exports of {a} run in the background, and a message tells when they are ready.",
    "The colours of {b} follow the system\u2019s dark mode \u2013 also on phones.",
    "Answers of {n} kinds now name the {a} they belong to; older clients ignore that.",
    "Nothing changes for existing {b}.",
)
IMPORTANT = (  # one item in eight
    "Version {n}.2 of the {a} library is deprecated and will be removed on 30 June 2027.",
    "<strong>Breaking:</strong> <code>{a}.{b}()</code> no longer returns <code>null</code>.",
    "A vulnerability in the handling of {a} was fixed; please upgrade to {n}.1.",
)
NOUNS = (
    "invoices",
    "webhooks",
    "dashboards",
    "projects",
    "tokens",
    "queries",
    "backups",
    "clusters",
    "teams",
    "alerts",
    "deployments",
    "payments",
    "schedules",
    "labels",
    "regions",
    "exports",
)


def paragraphs(number: int, item: int) -> str:
    """Write the HTML of an item: 100 to 4,000 characters, half of them under 500."""
    rng = random.Random(f"{number}/{item}")
    remaining = min(int(100 * 2 ** rng.expovariate(0.45)), 4_000)
    first = rng.sample(IMPORTANT, 1) if rng.random() < 1 / 8 else []
    written: list[str] = []
    while remaining > 0:
        chosen = [*first, *rng.sample(SENTENCES, rng.randint(1, 4))]
        sentences = [
            sentence.format(a=rng.choice(NOUNS), b=rng.choice(NOUNS), n=rng.randint(2, 60))
            for sentence in chosen
        ]
        first = []
        if len(sentences) > 2:
            block = f"<ul>{''.join(f'<li>{sentence}</li>' for sentence in sentences)}</ul>"
        else:
            block = f"<p>{' '.join(sentences)}</p>"
        written.append(block)
        remaining -= len(block)
    return "\n".join(written)


@lru_cache(maxsize=200_000)
def rss_item(number: int, item: int) -> str:
    """Write an item of RSS; every third carries its text as content:encoded too."""
    text, place = paragraphs(number, item), f"https://vendor{number}.example/changelog/{item}"
    full = f"<content:encoded><![CDATA[{text}]]></content:encoded>" if number % 3 == 0 else ""
    short = escape(text if not full else text.partition("</")[0] + "</p>", quote=False)
    return (
        f"    <item>\n      <title>Release {item}: {NOUNS[item % 16]} &amp; more</title>\n"
        f"      <link>{place}</link>\n      <guid isPermaLink='false'>{number}-{item}</guid>\n"
        f"      <pubDate>{format_datetime(published_at(item), usegmt=True)}</pubDate>\n"
        f"      <dc:creator>The team</dc:creator><category>{NOUNS[number % 16]}</category>\n"
        f"      <description>{short}</description>{full}\n    </item>\n"
    )


@lru_cache(maxsize=200_000)
def atom_entry(number: int, item: int) -> str:
    """Write an entry of Atom, its text as escaped HTML."""
    at, place = published_at(item).isoformat(), f"https://vendor{number}.example/news/{item}"
    return (
        f"  <entry>\n    <id>tag:vendor{number}.example,2026:{item}</id>\n"
        f'    <title type="html">{item} brings {NOUNS[item % 16]}</title>\n'
        f'    <link rel="alternate" type="text/html" href="{place}"/>\n'
        f"    <published>{at}</published><updated>{at}</updated>\n"
        f"    <author><name>Vendor {number}</name></author>\n"
        f'    <content type="html">{escape(paragraphs(number, item))}</content>\n  </entry>\n'
    )


def published_at(item: int) -> datetime:
    """Return when an item was published: one every eight hours."""
    return START + timedelta(hours=8 * item)


def feed(number: int, newest: int, items: int) -> bytes:
    """Write a feed whose newest item has this number."""
    shown = range(newest, newest - items, -1)
    home = f"https://vendor{number}.example/"
    if number % 2:
        return (
            '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
            f'  <title>Vendor {number}</title>\n  <link href="{home}"/>\n'
            f"  <id>{home}</id>\n  <updated>{published_at(newest).isoformat()}</updated>\n"
            f"{''.join(atom_entry(number, item) for item in shown)}</feed>\n"
        ).encode()
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom">\n'
        f"  <channel>\n    <title>Vendor {number}</title>\n    <link>{home}</link>\n"
        f'    <atom:link href="{home}feed" rel="self" type="application/rss+xml"/>\n'
        f"    <description>What is new</description><language>en</language>\n"
        f"{''.join(rss_item(number, item) for item in shown)}  </channel>\n</rss>\n"
    ).encode()


class Vendors:
    """The state of all feeds and their responses."""

    def __init__(self, items: int, recorded: list[RecordedFeed]) -> None:
        self._items = items
        self._recorded = recorded
        self._more: Counter[int] = Counter()  # published since the start, by step

    def answer(self, path: str, head: bytes) -> bytes:
        """Answer one request."""
        kind, _, number = path.strip("/").partition("/")
        if kind == "publish":
            self._more[int(number)] += 1
            return b"HTTP/1.1 204 Done\r\n\r\n"
        if kind != "feed":
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        more = sum(times for step, times in self._more.items() if int(number) % step == 0)
        return self._feed(int(number), self._items + more, head)

    def _feed(self, number: int, newest: int, head: bytes) -> bytes:
        changed = format_datetime(published_at(newest), usegmt=True).encode()
        etag = b'"%d-%d-%d"' % (number, newest, self._items)
        fields = b"ETag: %b\r\nLast-Modified: %b\r\n" % (etag, changed)
        if etag in head:
            return b"HTTP/1.1 304 Not Modified\r\n%b\r\n" % fields
        body = self._body(number, newest)
        fields += b"Content-Type: application/xml\r\nContent-Length: %d\r\n" % len(body)
        return b"HTTP/1.1 200 OK\r\n%b\r\n%b" % (fields, body)

    def _body(self, number: int, newest: int) -> bytes:
        if not self._recorded:
            return whole_feed(number, newest, self._items)
        document = self._recorded[number]
        return document.whole if newest > self._items else document.before

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                writer.write(self.answer(head.split(b" ", 2)[1].decode(), head))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@lru_cache(maxsize=2_000)
def whole_feed(number: int, newest: int, items: int) -> bytes:
    """Return ``feed``, written once."""
    return feed(number, newest, items)


def digest(feeds: int, items: int) -> str:
    """Return what tells that two runs read the same data."""
    written = hashlib.sha256()
    for number in range(feeds):
        written.update(feed(number, items, items))
    return written.hexdigest()[:16]


async def main() -> None:
    """Serve on every address of loopback until killed."""
    parser = parser_of(__doc__, items=30)
    parser.add_argument("port", type=int)
    parser.add_argument("--recorded", type=Path)
    options = parser.parse_args()
    recorded = recorded_feeds(options.recorded) if options.recorded else []
    server = await asyncio.start_server(
        Vendors(options.items, recorded).connected, "0.0.0.0", options.port, backlog=512
    )
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
