"""Answers that are not written yet, and the ETags of what they depend on.

Whoever comes back mostly has the answer already. So an operation reads first what its answer
depends on, a few rows (``storage.entries.states``), and writes it only for who does not have it
(docs/decisions/0049).
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Scope

from openapi.contract import contract_json
from openapi.middleware import Whole

OK: Final = 200
NOT_MODIFIED: Final = 304
ETAG_DIGITS: Final = 32  # 128 bits; processors compute SHA-256 faster than what is meant to be


@dataclass(frozen=True, slots=True)
class Answer:
    """A 200 with its ETag, and how it is written.

    ``etag``: None where only the body tells. ``headers``: those of a 304 as well. ``write`` is
    called in the view of the database that the ETag was read from. ``even``: writing it again soon
    takes as long as it took, and takes prepared queries alone. That of a list of sources depends on
    how many have moved meanwhile.
    """

    etag: str | None
    write: Callable[[], Response]
    headers: Mapping[str, str] = field(default_factory=dict)
    even: bool = False

    def for_who_has(self, if_none_match: Sequence[str]) -> Response:
        """Return it with its ETag, or nothing but its headers for who has it."""
        unchanged = self.unchanged(if_none_match)
        if unchanged is None:
            return self._written()
        response = Response()
        response.raw_headers = list(unchanged.headers)
        return response

    def unchanged(self, if_none_match: Sequence[str]) -> Whole | None:
        """Return its headers for who has it, else None; the edge makes a 304 of them."""
        if self.etag is None or not if_none_match or not matches(if_none_match, self.etag):
            return None
        return Whole(NOT_MODIFIED, self._own_headers(), b"")

    def ready(self) -> Whole:
        """Return it as it is sent, with its ETag."""
        response = self._written()
        return Whole(response.status_code, response.raw_headers, bytes(response.body))

    def _written(self) -> Response:
        response = self.write()
        response.raw_headers += self._own_headers()
        return response

    def _own_headers(self) -> list[tuple[bytes, bytes]]:
        named = [(name.lower().encode(), text.encode()) for name, text in self.headers.items()]
        return named if self.etag is None else [*named, (b"etag", self.etag.encode())]


def etag_of(body: bytes) -> str:
    """Return the strong validator of a body (RFC 9110 section 8.8.3)."""
    return f'"{hashlib.sha256(body).hexdigest()[:ETAG_DIGITS]}"'


def etag_of_state(site_url: str, operation: str, *state: Any) -> str:
    """Return the validator of the answer that is written from a state.

    ``state`` has an exact text: numbers, texts, times, None, and tuples of them. Another release
    may write the same state otherwise, so it is in there too.
    """
    return etag_of(f"{release()} {site_url} {operation} {state!r}".encode())


@cache
def release() -> str:
    """Return what stands for this program and its contract."""
    return f"{version('changewire')} {hashlib.sha256(contract_json()).hexdigest()}"


def if_none_match_of(scope: Scope) -> list[str]:
    """Return the If-None-Match headers of a request."""
    return [value.decode("latin-1") for name, value in scope["headers"] if name == b"if-none-match"]


def matches(if_none_match: Sequence[str], etag: str) -> bool:
    """Tell whether If-None-Match names an ETag, by weak comparison (RFC 9110 section 13.1.2)."""
    named = [each.strip() for field in if_none_match for each in field.split(",")]
    return "*" in named or etag in (each.removeprefix("W/") for each in named)
