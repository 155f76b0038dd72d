"""GET /bulk: everything that a caller may read, in one file (docs/decisions/0041)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.responses import Response
from werkzeug.http import parse_range_header

from handlers.api.access import require_scope
from handlers.api.changes import cursor_of, readable_sources
from handlers.context import Context, context
from handlers.http.auth import Caller
from handlers.http.caching import FileStream
from handlers.http.refusals import not_found, range_not_satisfiable
from openapi.queries import DownloadBulk
from openapi.vocabulary import Scope
from storage.bulk.download import Download, download_of
from storage.bulk.snapshot import load_snapshot
from storage.catalog.sources import every_slug

MEDIA_TYPE: Final = "application/zstd"
FILE_NAME: Final = "changewire.ndjson.zst"
NO_SNAPSHOT: Final = (
    "The bulk file has not been created yet.",
    "It is created daily. GET /api/v1/changes returns the same entries.",
)


def download_bulk(_query: DownloadBulk, caller: Caller, headers: Mapping[str, str]) -> Response:
    """Answer with the file or the requested range (RFC 9110 section 14)."""
    require_scope(caller, Scope.READ_ENTRIES)
    services = context()
    for _ in range(2):  # a new snapshot may take the place of the one that was just read
        download = _download(services, caller)
        etag = f'"{download.id}"'
        wanted = _range(headers, download, etag)
        try:
            file = (services.bulk / download.snapshot.file).open("rb")
        except FileNotFoundError:
            continue
        start, end = wanted or (0, download.size)
        sent = {
            "ETag": etag,
            "Accept-Ranges": "bytes",
            "Content-Disposition": f'attachment; filename="{FILE_NAME}"',
            "Content-Length": str(end - start),
            "Last-Modified": f"{download.snapshot.made_at:%a, %d %b %Y %H:%M:%S GMT}",
        }
        if wanted is not None:
            sent["Content-Range"] = f"bytes {start}-{end - 1}/{download.size}"
        status = HTTPStatus.OK if wanted is None else HTTPStatus.PARTIAL_CONTENT
        chunks = download.read(file, start, end)
        return FileStream(file, chunks, status=status, headers=sent, media_type=MEDIA_TYPE)
    raise not_found(*NO_SNAPSHOT)


def _download(services: Context, caller: Caller) -> Download:
    """Return what of the newest snapshot the caller may read now."""
    snapshot = load_snapshot(services.bulk)
    if snapshot is None:
        raise not_found(*NO_SNAPSHOT)
    with services.db.read() as session:
        readable = readable_sources(session, caller, None)
        slugs = every_slug(session)
    if readable is not None:
        slugs &= readable.slugs
    return download_of(snapshot, cursor_of(snapshot.number), slugs)


def _range(headers: Mapping[str, str], download: Download, etag: str) -> tuple[int, int] | None:
    """Return the bytes that are wanted; None for all.

    Several ranges, and those of another file than this, are answered with the whole.
    """
    requested = parse_range_header(headers.get("Range"))
    if requested is None or requested.units != "bytes" or len(requested.ranges) != 1:
        return None
    if headers.get("If-Range", etag) != etag:
        return None
    wanted = requested.range_for_length(download.size)
    if wanted is None:
        raise range_not_satisfiable(download.size)
    return wanted
