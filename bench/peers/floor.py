"""The floor: the same bytes from the same statements, and nothing else.

A bare ASGI application on the driver: no check of key, plan, request or answer, no threads. Its
statements are written so that SQLite does not plan them anew each time, as ours are.
"""

import os
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs

import orjson
import pysqlite3.dbapi2 as driver
from peers.orm import DATABASE
from starlette.types import Receive, Scope, Send

OF_SOURCE = "SELECT id, published_at, external_id, source_id FROM entries WHERE source_id = ?"
NEWEST_FIRST = "ORDER BY published_at DESC, external_id DESC, source_id DESC"


class Floor:
    """Answers /entries, /latest and /important without their filters."""

    def __init__(self, file: str) -> None:
        self.connection = driver.connect(file, check_same_thread=False, isolation_level=None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        await receive()
        query = parse_qs(scope["query_string"].decode())
        limit = int(query.get("limit", ["50"])[0])
        offset = int(query.get("offset", ["0"])[0])
        if scope["path"].endswith("/entries"):
            body = self._entries(query["sources"][0].split(","), limit, offset)
        else:
            body = self._public(limit, offset, important=scope["path"].endswith("/important"))
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _entries(self, slugs: list[str], limit: int, offset: int) -> bytes:
        places = ",".join("?" * len(slugs))
        known = self.connection.execute(
            f"SELECT id, entry_count FROM sources WHERE slug IN ({places})", slugs
        ).fetchall()
        merged = " UNION ALL ".join([OF_SOURCE] * len(known))
        given = [key for key, _ in known]
        keys = [
            row[0]
            for row in self.connection.execute(
                f"SELECT id FROM ({merged} {NEWEST_FIRST} LIMIT ? + 0 OFFSET ? + 0)",
                (*given, limit, offset),
            )
        ]
        places = ",".join("?" * len(keys))
        rows = self.connection.execute(
            f"SELECT id, document FROM entries WHERE id IN ({places})", keys
        )
        by_key = dict(rows)
        head = {"plan": "all", "total": sum(count for _, count in known)}
        head |= {"limit": limit, "offset": offset}
        documents = b",".join([by_key[key] for key in keys])
        return b'%b,"items":[%b]}' % (orjson.dumps(head)[:-1], documents)

    def _public(self, limit: int, offset: int, *, important: bool) -> bytes:
        only = "important = 1 AND " if important else ""
        count = "important" if important else "entries"
        until = (datetime.now(UTC) + timedelta(minutes=10)).replace(tzinfo=None).isoformat(" ")
        total = self.connection.execute(f"SELECT sum({count}) FROM catalog_totals").fetchone()[0]
        ahead = self.connection.execute(
            f"SELECT count(*) FROM entries WHERE {only} published_at > ?", (until,)
        ).fetchone()[0]
        rows = self.connection.execute(
            f"SELECT public_document, importance FROM entries WHERE {only} published_at <= ?"
            f" {NEWEST_FIRST} LIMIT ? + 0 OFFSET ? + 0",
            (until, limit, offset),
        ).fetchall()
        documents = [
            b'%b,"importance":%b}' % (public[:-1], why) if important else public
            for public, why in rows
        ]
        head = {"total": total - ahead, "limit": limit, "offset": offset}
        return b'%b,"items":[%b]}' % (orjson.dumps(head)[:-1], b",".join(documents))


def create() -> Floor:
    """Return the application."""
    return Floor(os.environ[DATABASE])
