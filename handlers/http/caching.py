"""ETags, the 304 for callers who have the current response, and what caches may keep.

Callers who come back mostly have the current response. So an operation reads first what its
response depends on, a few rows (``storage.entries.states``), and writes the response only for
callers who do not have it (docs/decisions/0012).
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Scope

from handlers.http.auth import is_anonymous
from openapi.contract import contract_json

OK: Final = 200
NOT_MODIFIED: Final = 304
ETAG_DIGITS: Final = 32  # 128 bits; most processors have instructions for SHA-256
VARY: Final = "Authorization, X-Api-Key, Cookie"
SHARED: Final = "public, max-age=60"
PRIVATE: Final = "private, no-cache"


@dataclass(frozen=True, slots=True)
class LazyResponse:
    """A 200 whose ETag is known before its body is written.

    ``write`` is called in the view of the database that the ETag was read from.
    """

    etag: str
    write: Callable[[], Response]

    def response(self, if_none_match: Sequence[str]) -> Response:
        """Return the whole response, or a 304 for a caller who has it already."""
        is_known = matches(if_none_match, self.etag)
        response = Response(status_code=NOT_MODIFIED) if is_known else self.write()
        response.headers["ETag"] = self.etag
        return response


def cacheable(response: LazyResponse | Response, scope: Scope) -> Response:
    """Return the response to a GET with its ETag and what caches may do with it.

    A response without an ETag of its own gets that of its body.
    """
    if_none_match = if_none_match_of(scope)
    if isinstance(response, LazyResponse):
        response = response.response(if_none_match)
    if response.status_code == OK and "ETag" not in response.headers:
        etag = etag_of(bytes(response.body))
        if matches(if_none_match, etag):
            links = {"Link": response.headers["Link"]} if "Link" in response.headers else {}
            response = Response(status_code=NOT_MODIFIED, headers=links)
        response.headers["ETag"] = etag
    shared = is_anonymous(scope["headers"])
    response.headers["Cache-Control"] = SHARED if shared else PRIVATE
    response.headers["Vary"] = VARY
    return response


def etag_of(body: bytes) -> str:
    """Return the strong validator of a body (RFC 9110 section 8.8.3)."""
    return f'"{hashlib.sha256(body).hexdigest()[:ETAG_DIGITS]}"'


def etag_of_state(api_url: str, operation: str, *state: Any) -> str:
    """Return the ETag of the response that is written from a state.

    ``state`` has an exact text: numbers, texts, times, None, and tuples of them. Another release
    may write the same state otherwise, so it is in there too.
    """
    return etag_of(f"{release()} {api_url} {operation} {state!r}".encode())


@cache
def release() -> str:
    """Return the version of this program and the hash of its contract."""
    return f"{version('changewire')} {hashlib.sha256(contract_json()).hexdigest()}"


def if_none_match_of(scope: Scope) -> list[str]:
    """Return the If-None-Match headers of a request."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name == b"if-none-match"]


def matches(if_none_match: Sequence[str], etag: str) -> bool:
    """Tell whether If-None-Match names an ETag, by weak comparison (RFC 9110 section 13.1.2)."""
    etags = [tag.strip() for header in if_none_match for tag in header.split(",")]
    return "*" in etags or etag in (tag.removeprefix("W/") for tag in etags)
