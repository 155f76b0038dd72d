"""Pages of entries as CSV (RFC 4180), for people with a spreadsheet (docs/decisions/0027).

``/entries.csv`` beside the API is GET /entries in another format: the request goes through the API,
so that the contract validates it and its response, and keys, refusals and caching are the same.
Only a 200 is rewritten; an error stays the Error object.
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
_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # how formulas begin


class CsvPages:
    """ASGI application that serves the pages of ``api`` as CSV.

    ``api`` returns an EntryPage at ``path``.
    """

    def __init__(self, api: ASGIApp, path: str) -> None:
        self.api = api
        self.path = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Request the page from the API and send it as CSV."""
        if scope["type"] != "http":
            await self.api(scope, receive, send)
            return
        messages: list[Message] = []

        async def hold(message: Message) -> None:
            messages.append(message)

        await self.api(self._page_request(scope), receive, hold)
        start, *body_messages = messages
        if scope["method"] not in ("GET", "HEAD") or start["status"] != OK:
            for message in messages:
                await send(message)
            return
        page = b"".join(message.get("body", b"") for message in body_messages)
        body = as_csv(orjson.loads(page)["items"])
        headers = self._headers(start, body)
        etags = Headers(scope=scope).getlist("if-none-match")
        not_modified = matches(etags, headers["ETag"])
        if not_modified:
            del headers["Content-Type"], headers["Content-Length"]
        status = NOT_MODIFIED if not_modified else OK
        await send({"type": "http.response.start", "status": status, "headers": headers.raw})
        sent = b"" if not_modified or scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": sent})

    def _page_request(self, scope: Scope) -> Scope:
        """Return the request to the API: a GET without If-None-Match, as the body is needed."""
        return {
            **scope,
            "method": "GET" if scope["method"] == "HEAD" else scope["method"],
            "path": self.path,
            "raw_path": self.path.encode(),
            "headers": [header for header in scope["headers"] if header[0] != b"if-none-match"],
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

    ``raw`` has no column, as its fields differ from source to source. Tags are separated by
    semicolons, as in a catalog.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        cells = {**entry, "tags": ";".join(entry["tags"])}
        writer.writerow([escape_formula(cells.get(name) or "") for name in COLUMNS])
    return text.getvalue().encode()


def escape_formula(cell: str) -> str:
    """Return a text that no spreadsheet evaluates as a formula.

    An apostrophe in front marks it as text; spreadsheets do not show it.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell
