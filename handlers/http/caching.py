"""The ETag of a body, the 304 for callers who have it already, and what caches may keep."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Final

from starlette.datastructures import Headers
from starlette.responses import Response, StreamingResponse
from starlette.types import Scope

from handlers.http.auth import is_anonymous

OK: Final = 200
PARTIAL_CONTENT: Final = 206
NOT_MODIFIED: Final = 304
DIGEST: Final = "changewire.digest"
"""The key of the ETag of a whole body in the ASGI scope of its request."""
ETAG_DIGITS: Final = 32  # 128 bits; most processors have instructions for SHA-256
VARY: Final = (b"vary", b"Authorization, X-Api-Key, Cookie, Accept-Encoding")
SHARED: Final = (b"cache-control", b"public, max-age=60")
PRIVATE: Final = (b"cache-control", b"private, no-cache")


class FileStream(StreamingResponse):
    """A response with bytes of an open file and its own ETag."""

    def __init__(
        self,
        file: IO[bytes],
        chunks: Iterable[bytes],
        *,
        status: int,
        headers: Mapping[str, str],
        media_type: str,
    ) -> None:
        self._file = file
        super().__init__(self._read(chunks), status, headers, media_type)

    def _read(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        with self._file:
            yield from chunks

    def without_body(self) -> Response:
        """Close the file; return the response to a HEAD."""
        self._file.close()
        return Response(status_code=self.status_code, headers=dict(self.headers))


def cacheable(response: Response, scope: Scope) -> Response:
    """Return the response to a GET with its ETag and what caches may do with it."""
    if response.status_code in (OK, PARTIAL_CONTENT):
        file = response if isinstance(response, FileStream) else None
        etag = etag_of(bytes(response.body)) if file is None else response.headers["ETag"]
        scope[DIGEST] = etag if file is None else None
        is_known = is_held(Headers(scope=scope).getlist("if-none-match"), etag)
        if file is not None and (is_known or scope["method"] == "HEAD"):
            response = file.without_body()
        if is_known:
            links = {"Link": response.headers["Link"]} if "Link" in response.headers else {}
            response = Response(status_code=NOT_MODIFIED, headers=links)
        if b"etag" not in dict(response.raw_headers):
            response.raw_headers.append((b"etag", etag.encode()))
    shared = is_anonymous(scope["headers"])
    response.raw_headers += (SHARED if shared else PRIVATE, VARY)
    return response


def etag_of(body: bytes) -> str:
    """Return the strong validator of a body (RFC 9110 section 8.8.3)."""
    return f'"{hashlib.sha256(body).hexdigest()[:ETAG_DIGITS]}"'


def is_held(if_none_match: Sequence[str], etag: str) -> bool:
    """Return whether If-None-Match names an ETag, by weak comparison (RFC 9110 section 13.1.2)."""
    tags = map(str.strip, ",".join(if_none_match).split(","))
    return not {"*", etag, f"W/{etag}"}.isdisjoint(tags)
