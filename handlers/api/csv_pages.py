"""Pages of entries as CSV (RFC 4180), for people with a spreadsheet (docs/decisions/0042).

``/entries.csv`` beside the API is GET /entries written otherwise: the request goes through the API
as it is, so that the contract validates it and its answer, and keys, refusals and caching are the
same. Only a 200 is rewritten; a no stays the Error object.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.http.caching import NOT_MODIFIED, OK, etag_of, matches

PATH: Final = "/entries.csv"
COLUMNS: Final = ("id", "source", "vendor", "published_at", "title", "url", "summary", "tags")
_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # where spreadsheets begin to compute


class CsvPages:
    """ASGI application that answers with the pages of another as CSV.

    ``api`` answers at ``path`` with an EntryPage.
    """

    def __init__(self, api: ASGIApp, path: str) -> None:
        self.api = api
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask for the page and write it otherwise."""
        if scope["type"] != "http":
            await self.api(scope, receive, send)
            return
        messages: list[Message] = []

        async def hold(message: Message) -> None:
            messages.append(message)

        await self.api(self._asked(scope), receive, hold)
        start, *rest = messages
        if scope["method"] not in ("GET", "HEAD") or start["status"] != OK:
            for message in messages:
                await send(message)
            return
        body = as_csv(orjson.loads(b"".join(each.get("body", b"") for each in rest))["items"])
        headers = self._headers(start, body)
        wanted = Headers(scope=scope).getlist("if-none-match")
        same = matches(wanted, headers["ETag"])
        if same:
            del headers["Content-Type"], headers["Content-Length"]
        status = NOT_MODIFIED if same else OK
        await send({"type": "http.response.start", "status": status, "headers": headers.raw})
        sent = b"" if same or scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": sent})

    def _asked(self, scope: Scope) -> Scope:
        """Return the request for the page itself: its whole body is needed, whatever is known."""
        return {
            **scope,
            "method": "GET" if scope["method"] == "HEAD" else scope["method"],
            "path": self.path,
            "raw_path": self.path.encode(),
            "headers": [each for each in scope["headers"] if each[0] != b"if-none-match"],
        }

    def _headers(self, start: Message, body: bytes) -> MutableHeaders:
        headers = MutableHeaders(raw=list(start["headers"]))
        headers["Content-Type"] = "text/csv; charset=utf-8; header=present"
        headers["Content-Length"] = str(len(body))
        headers["Content-Disposition"] = 'attachment; filename="entries.csv"'
        headers["ETag"] = etag_of(body)
        headers["Link"] = headers["Link"].replace(f"{self.path}?", f"{PATH}?")
        return headers


def as_csv(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """Write ChangelogEntry objects as CSV, with a first row that names the columns.

    What ``raw`` holds differs from source to source, so it has no column. Tags are separated by
    semicolons, as in a catalog.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        cells = {**entry, "tags": ";".join(entry["tags"])}
        writer.writerow([harmless(cells.get(name) or "") for name in COLUMNS])
    return text.getvalue().encode()


def harmless(cell: str) -> str:
    """Return a text that no spreadsheet takes for a formula, whoever wrote it.

    An apostrophe in front makes it text; spreadsheets do not show it.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell
