"""Vendors on loopback for measurements: generated feeds, and some that mean harm.

    python bench/vendors.py PORT

``/feed/N`` is a rolling window of 20 entries; with ``?grow`` every request publishes one more.
``/drip`` sends a byte a second, ``/bomb`` is 100 MiB of zeros in a few KiB of gzip, ``/loop``
redirects for ever, ``/deep`` keeps parsers busy, ``/heavy`` is as large as a document may be. It
runs in a process of its own, so that its work is not counted as ours.
"""

import asyncio
import gzip
import hashlib
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

WINDOW = 20
BOMB = gzip.compress(b"\0" * (100 << 20), 9)
HEAVY = gzip.compress(b"x" * (10 << 20))
DEEP = b"<rss>" + b"<a>" * 600_000
START = datetime(2026, 1, 1, tzinfo=UTC)
published: Counter[str] = Counter()


def feed(name: str, count: int) -> bytes:
    """Write the newest entries of a vendor that has published so many."""
    items = "".join(
        f"<item><guid isPermaLink='false'>{name}-{number}</guid><title>Release {number}</title>"
        f"<link>https://vendor.example/{name}/{number}</link>"
        f"<description>&lt;p&gt;Adds feature {number}, fixes {number * 7 % 13} faults and "
        "deprecates the old way of doing it.&lt;/p&gt;</description>"
        f"<pubDate>{(START + timedelta(minutes=number)):%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
        for number in range(count, max(count - WINDOW, 0), -1)
    )
    return f"<rss version='2.0'><channel><title>{name}</title>{items}</channel></rss>".encode()


async def serve_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection."""
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            path = head.split(b" ", 2)[1].decode()
            etag = next(
                (
                    line.partition(b": ")[2]
                    for line in head.split(b"\r\n")
                    if line.lower().startswith(b"if-none-match")
                ),
                b"",
            )
            if not await _write_response(path, etag, writer):
                break
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _write_response(target: str, if_none_match: bytes, writer: asyncio.StreamWriter) -> bool:
    parts = urlsplit(target)
    match parts.path.split("/")[1]:
        case "feed":
            name = parts.path.rpartition("/")[2]
            published[name] = max(published[name] + (parts.query == "grow"), WINDOW)
            body = feed(name, published[name])
            etag = b'"' + hashlib.md5(body).hexdigest().encode() + b'"'
            if if_none_match == etag:
                writer.write(b"HTTP/1.1 304 Not Modified\r\nETag: %b\r\n\r\n" % etag)
            else:
                writer.write(_response(200, body, b"ETag: %b\r\n" % etag))
        case "count":
            writer.write(_response(200, str(published[parts.query]).encode()))
        case "drip":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n<rss>")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(1)
        case "bomb":
            writer.write(_response(200, BOMB, b"Content-Encoding: gzip\r\n"))
        case "heavy":
            writer.write(_response(200, HEAVY, b"Content-Encoding: gzip\r\n"))
        case "loop":
            writer.write(_response(302, b"", b"Location: /loop/%d\r\n" % time.monotonic_ns()))
        case "deep":
            writer.write(_response(200, DEEP))
        case _:
            writer.write(_response(404, b""))
    return True


def _response(status: int, body: bytes, fields: bytes = b"") -> bytes:
    head = b"HTTP/1.1 %d Some\r\n%bContent-Length: %d\r\n\r\n" % (status, fields, len(body))
    return head + body


@contextmanager
def running(port: int) -> Iterator[str]:
    """Run the vendors beside us; gives the base of their addresses, without a host."""
    with subprocess.Popen([sys.executable, str(Path(__file__)), str(port)]) as process:
        try:
            for _ in range(100):
                try:
                    HTTPConnection("127.0.0.1", port, timeout=1).connect()
                    break
                except OSError:
                    time.sleep(0.05)
            yield f":{port}"
        finally:
            process.kill()


async def main(port: int) -> None:
    """Serve until killed."""
    server = await asyncio.start_server(serve_connection, "0.0.0.0", port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
