"""How a request to a vendor's server can end, and what its header fields mean. Pure.

An expected failure is a value, not an exception: ``fetch`` returns one of Fetched, NotModified
and Failed, and later steps of ingestion add Failed outcomes of their own (a document that is
not a feed, an empty page).
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self, TypeAlias

from outbound.response_fields import parse_http_date, parse_retry_after, wait_until

BEGINNING_BYTES: Final = 65_536
"""Bytes at the beginning of a document in which it names other pages."""
END_BYTES: Final = 4096
"""The same at its end."""
LONGEST_FRESHNESS = timedelta(hours=24)
LONGEST_VALIDATOR = 4096  # characters; a longer one is ignored
_LISTS = frozenset({"cache-control", "content-encoding"})
_MAX_AGE = re.compile(r'(?:^|,)\s*max-age\s*=\s*"?([0-9]{1,12})"?\s*(?:,|$)', re.IGNORECASE)
Headers = Mapping[str, str]


class Failure(StrEnum):
    """Why a source could not be read: a closed list, each with its weight and a message.

    The weight is what it adds to the fail score of a source (docs/decisions/0018): 1 if it will not
    end by itself, 0.5 if it may be temporary, 0.25 if the vendor asks to wait. The message is part
    of a sentence for everybody: it names no address.
    """

    weight: float
    message: str

    def __new__(cls, value: str, weight: float = 0.0, message: str = "") -> Self:
        """Return a failure that is equal to its name."""
        failure = str.__new__(cls, value)
        failure._value_ = value
        failure.weight, failure.message = weight, message
        return failure

    UNAUTHORIZED = "unauthorized", 1.0, "the vendor requires a sign-in"  # 401
    FORBIDDEN = "forbidden", 1.0, "the vendor denies access"  # 403, 451
    GONE = "gone", 1.0, "the vendor has removed the page"  # 410
    NOT_FOUND = "not_found", 0.5, "the page was not found"  # 404
    CLIENT_ERROR = "client_error", 1.0, "the vendor's server rejected the request"  # other 4xx
    RATE_LIMITED = "rate_limited", 0.25, "the vendor's rate limit was reached"  # 429, no quota
    # 503 with Retry-After
    UNAVAILABLE = "unavailable", 0.25, "the vendor's server is temporarily unavailable"
    SERVER_ERROR = "server_error", 0.5, "the vendor's server returned an error"  # other 5xx
    TIMEOUT = "timeout", 0.5, "the vendor's server did not respond in time"  # 408, ours
    TLS = "tls", 0.5, "the vendor's certificate is not valid, or TLS failed"
    CONNECTION = "connection", 0.5, "the connection to the vendor's server failed"
    DNS_TEMPORARY = "dns_temporary", 0.25, "the DNS lookup failed"
    DNS = "dns", 0.5, "the vendor's host was not found"
    ADDRESS_REFUSED = "address_refused", 1.0, "the address is not public"
    REDIRECT_LOOP = "redirect_loop", 0.5, "the vendor's redirects form a loop"
    TOO_LARGE = "too_large", 1.0, "the document is too large"
    BAD_ENCODING = "bad_encoding", 0.5, "the document could not be decompressed"
    DISALLOWED = "disallowed", 1.0, "the vendor's robots.txt disallows it"
    NOT_A_FEED = "not_a_feed", 1.0, "the document has an unexpected format"
    BLOCKED = "blocked", 1.0, "a challenge or sign-in page was returned instead"
    NO_CONTENT = "no_content", 0.5, "the document is empty"
    EMPTY = "empty", 0.5, "no entries were found"
    PARSE_TIMEOUT = "parse_timeout", 1.0, "parsing the document took too long"
    CUT = "cut", 0.0, "the document is longer than we keep and was truncated"


# A document was fetched, but has no entries.
FRUITLESS = frozenset({Failure.NO_CONTENT, Failure.EMPTY, Failure.BLOCKED})


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators for conditional requests (RFC 9110 §8.8).

    They belong to ``address``, the one URL they came from, and are never sent to another.
    Both are the vendor's bytes read as Latin-1, so that they go back byte for byte.

    They are stored even if the response was stale at once (``Expires: 0``, ``no-cache``): stale
    responses are what conditional requests are for (RFC 9111 §4.3).
    """

    address: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document was fetched.

    ``address`` is where it was in the end, ``permanent_address`` where permanent redirects
    alone have led to (None: there were none). ``freshness`` is for how long the vendor says
    the document is fresh, None if it does not. ``body_hash`` is the SHA-256 of the whole body in
    hex.
    """

    body: bytes
    content_type: str | None
    address: str
    validators: Validators | None = None
    freshness: timedelta | None = None
    permanent_address: str | None = None
    body_hash: str = ""

    def shortened(self) -> "Fetched":
        """Return this without the middle of its body, which nobody needs once it is parsed."""
        if len(self.body) <= BEGINNING_BYTES + END_BYTES:
            return self
        return replace(self, body=self.body[:BEGINNING_BYTES] + self.body[-END_BYTES:])


@dataclass(frozen=True, slots=True)
class NotModified:
    """The document is the one we have: a 304, or the same bytes again. Fields as in Fetched."""

    validators: Validators | None
    freshness: timedelta | None = None
    permanent_address: str | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """No document, or none that could be read.

    ``status`` is the HTTP status if there was a response. ``retry_after`` is how long the vendor
    asks to wait, at most 31 days. ``message`` is for the operator and is shown to nobody else.
    """

    failure: Failure
    status: int | None = None
    retry_after: timedelta | None = None
    message: str = ""


Outcome: TypeAlias = Fetched | NotModified | Failed
_BY_STATUS: MappingProxyType[int, Failure] = MappingProxyType(
    {
        401: Failure.UNAUTHORIZED,
        403: Failure.FORBIDDEN,
        404: Failure.NOT_FOUND,
        408: Failure.TIMEOUT,
        410: Failure.GONE,
        429: Failure.RATE_LIMITED,
        451: Failure.FORBIDDEN,
    }
)


def as_headers(raw: Iterable[tuple[bytes, bytes]]) -> Headers:
    """Return fields by lower-case name, each value as Latin-1: no byte is lost.

    Of a repeated field the first value counts, except where fields are lists (RFC 9110 §5.3).
    """
    headers: dict[str, str] = {}
    for name_bytes, value_bytes in raw:
        name, value = name_bytes.decode("latin-1").lower(), value_bytes.decode("latin-1")
        if name in headers and name in _LISTS:
            headers[name] += f", {value}"
        else:
            headers.setdefault(name, value)
    return headers


def validators(headers: Headers, *, address: str) -> Validators | None:
    """Return the validators of a response from ``address``, None if it has none."""
    etag, last_modified = (
        value if value and len(value) <= LONGEST_VALIDATOR else None
        for value in (headers.get("etag"), headers.get("last-modified"))
    )
    if etag is None and last_modified is None:
        return None
    return Validators(address, etag, last_modified)


def renewed(stored: Validators, headers: Headers) -> Validators:
    """Return stored validators updated by those of a 304 (RFC 9111 §4.3.4)."""
    new = validators(headers, address=stored.address)
    if new is None:
        return stored
    return Validators(
        stored.address, new.etag or stored.etag, new.last_modified or stored.last_modified
    )


def freshness(headers: Headers, *, now: datetime) -> timedelta | None:
    """Return how long the response stays fresh, at most 24 hours; None if it does not say.

    ``max-age`` wins over ``Expires`` (RFC 9111 §5.3). ``s-maxage`` is for shared caches and
    ``Age`` is not deducted: we wait as long as the vendor has written.
    """
    control = headers.get("cache-control", "")
    if max_age := _MAX_AGE.search(control):
        return min(timedelta(seconds=min(int(max_age[1]), 10**9)), LONGEST_FRESHNESS)
    expires_at = parse_http_date(headers.get("expires"))
    if expires_at is None:
        return None
    responded_at = parse_http_date(headers.get("date")) or now
    return min(max(expires_at - responded_at, timedelta()), LONGEST_FRESHNESS)


def retry_after(headers: Headers, *, now: datetime) -> timedelta | None:
    """Return how long to wait, from seconds or a date (RFC 9110 §10.2.3), at most 31 days.

    For a quota that is used up, ``X-RateLimit-Reset`` counts too, in seconds since 1970.
    """
    wait = parse_retry_after(headers.get("retry-after", ""), now=now)
    if wait is not None or not quota_used_up(headers):
        return wait
    reset_at = _quota_reset_at(headers)
    return None if reset_at is None else wait_until(reset_at, now=now)


def quota_used_up(headers: Headers) -> bool:
    """Return whether the response says that no request is left, as GitHub's API does."""
    return headers.get("x-ratelimit-remaining", "").strip() == "0"


def challenged(headers: Headers) -> bool:
    """Return whether a CDN sent a challenge page in place of the document."""
    return headers.get("cf-mitigated", "").strip().lower() == "challenge"


def failure_of(status: int, headers: Headers) -> Failure:
    """Return the failure of a response that is neither a document nor a redirect."""
    if challenged(headers):
        return Failure.BLOCKED
    if status == 403 and (quota_used_up(headers) or "retry-after" in headers):
        return Failure.RATE_LIMITED
    if status == 503 and "retry-after" in headers:
        return Failure.UNAVAILABLE
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return Failure.CLIENT_ERROR if 400 <= status < 500 else Failure.SERVER_ERROR


def _quota_reset_at(headers: Headers) -> datetime | None:
    reset = headers.get("x-ratelimit-reset", "").strip()
    if not re.fullmatch(r"[0-9]{1,11}", reset):
        return None
    return datetime.fromtimestamp(min(int(reset), 32_503_680_000), UTC)
