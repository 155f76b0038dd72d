"""GET /bulk: everything that a caller may read, in one file (docs/decisions/0041).

It is outside of the base path of the API: a file that is fetched in ranges is nothing that
the contract could validate. Who may read what, and how it is refused, is the same.
"""

from collections.abc import Iterator
from datetime import timedelta
from http import HTTPStatus
from pathlib import Path
from typing import IO, Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from werkzeug.http import parse_range_header

from handlers.api.access import require_scope
from handlers.api.changes import readable_sources
from handlers.api.cursor import cursor_of
from handlers.context import Context, current_context
from handlers.http.answer_headers import ANSWER_HEADERS
from handlers.http.auth import Caller, caller_of_key, caller_of_session, keys_sent
from handlers.http.caching import PRIVATE, VARY, if_none_match_of, matches
from handlers.http.errors import error_response
from handlers.http.rate_limits import count_request
from handlers.http.refusals import (
    InvalidRequest,
    MethodNotAllowed,
    NoSnapshot,
    RangeNotSatisfiable,
    Refusal,
    Unauthorized,
)
from openapi.vocabulary import Scope as KeyScope
from storage.bulk.download import Download, download_of
from storage.bulk.snapshot import Snapshot, load_snapshot
from storage.catalog.sources import every_slug
from storage.people.throttle import Limit

PATH: Final = "/bulk"
MEDIA_TYPE: Final = "application/zstd"
FILE_NAME: Final = "changewire.ndjson.zst"
LIMITS: Final = (Limit(120, timedelta(minutes=1)),)
"""Requests of one account: programs that read a file in parts send many."""
METHODS: Final = ("GET", "HEAD")


class BulkFile:
    """ASGI application of ``/bulk``. ``folder``: where the snapshots are."""

    def __init__(self, services: Context, folder: Path) -> None:
        self.services = services
        self.folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the file, a part of it, or an error as the API has them."""
        current_context.set(self.services)
        try:
            response: ASGIApp = await run_in_threadpool(self._response, scope)
        except Refusal as refusal:
            response = error_response(refusal)
        await response(scope, receive, send)

    def _response(self, scope: Scope) -> Response:
        if scope["method"] not in METHODS:
            raise MethodNotAllowed(scope["method"], METHODS)
        caller = _caller(self.services, scope)
        if scope["query_string"]:
            raise InvalidRequest(
                "One or more query parameters are invalid. /bulk takes none.",
                hint="What a key may read is what it gets; /api/v1/changes takes filters.",
            )
        require_scope(caller, KeyScope.READ_ENTRIES)
        count_request(self.services, f"bulk/{caller.account_id}", LIMITS)
        for _ in range(2):  # a new snapshot may take the place of the one that was just read
            download = self._download(caller)
            etag = f'"{download.id}"'
            headers = {
                **ANSWER_HEADERS,
                "ETag": etag,
                "Cache-Control": PRIVATE,
                "Vary": VARY,
                "Accept-Ranges": "bytes",
                "Content-Disposition": f'attachment; filename="{FILE_NAME}"',
                "Last-Modified": f"{download.snapshot.made_at:%a, %d %b %Y %H:%M:%S GMT}",
            }
            if matches(if_none_match_of(scope), etag):
                return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
            try:
                return _file_response(scope, download, self.folder, headers)
            except FileNotFoundError:
                continue
        raise NoSnapshot

    def _download(self, caller: Caller) -> Download:
        """Return what of the newest snapshot the caller may read now."""
        snapshot: Snapshot | None = load_snapshot(self.folder)
        if snapshot is None:
            raise NoSnapshot
        with self.services.db.read() as session:
            readable = readable_sources(session, caller, None, now=self.services.now())
            slugs = every_slug(session)
        if readable is not None:
            slugs &= readable.slugs
        return download_of(snapshot, cursor_of(snapshot.number), slugs)


def _caller(services: Context, scope: Scope) -> Caller:
    keys = keys_sent(scope["headers"])
    if len(keys) > 1:
        raise Unauthorized
    caller = caller_of_key(services, keys.pop()) if keys else caller_of_session(services, scope)
    if caller is None:
        raise Unauthorized
    return caller


def _file_response(
    scope: Scope, download: Download, folder: Path, headers: dict[str, str]
) -> Response:
    """Return the file or the one range of it that is wanted (RFC 9110 section 14)."""
    start, end, status = 0, download.size, HTTPStatus.OK
    wanted = _range(Headers(scope=scope), download, headers["ETag"])
    if wanted is not None:
        (start, end), status = wanted, HTTPStatus.PARTIAL_CONTENT
        headers["Content-Range"] = f"bytes {start}-{end - 1}/{download.size}"
    headers["Content-Length"] = str(end - start)
    if scope["method"] == "HEAD":
        return Response(status_code=status, headers=headers, media_type=MEDIA_TYPE)
    file = (folder / download.snapshot.file).open("rb")
    body = _closing(file, download.read(file, start, end))
    return StreamingResponse(body, status_code=status, headers=headers, media_type=MEDIA_TYPE)


def _closing(file: IO[bytes], chunks: Iterator[bytes]) -> Iterator[bytes]:
    with file:
        yield from chunks


def _range(headers: Headers, download: Download, etag: str) -> tuple[int, int] | None:
    """Return the bytes that are wanted; None for all.

    Several ranges, and those of another file than this, are answered with the whole.
    """
    requested = parse_range_header(headers.get("range"))
    if requested is None or requested.units != "bytes" or len(requested.ranges) != 1:
        return None
    if headers.get("if-range", etag) != etag:
        return None
    wanted = requested.range_for_length(download.size)
    if wanted is None:
        raise RangeNotSatisfiable(download.size)
    return wanted
