"""How a request to a vendor's server can end.

An expected failure is a value, not an exception: ``fetch`` returns one of Fetched, NotModified
and Failed, and later steps of ingestion add Failed outcomes of their own (a document that is
not a feed, an empty page). The weight of each failure stands beside it as data.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

BEGINNING: Final = 65_536
"""Bytes at the beginning of a document in which it names other pages."""
END: Final = 4096
"""The same at its end."""


class Failure(StrEnum):
    """Why a source could not be read: a closed list."""

    UNAUTHORIZED = "unauthorized"  # 401
    FORBIDDEN = "forbidden"  # 403, 451
    GONE = "gone"  # 410
    NOT_FOUND = "not_found"  # 404
    CLIENT_ERROR = "client_error"  # any other 4xx
    RATE_LIMITED = "rate_limited"  # 429, or a quota that is used up
    UNAVAILABLE = "unavailable"  # 503 with Retry-After
    SERVER_ERROR = "server_error"  # any other 5xx, or a status that makes no sense
    TIMEOUT = "timeout"  # 408, or our own limits of time
    TLS = "tls"  # no trustworthy certificate
    CONNECTION = "connection"  # refused, reset, cut short
    DNS_TEMPORARY = "dns_temporary"  # the DNS server did not respond
    DNS = "dns"  # the name does not exist
    ADDRESS_REFUSED = "address_refused"  # not a public web address
    REDIRECT_LOOP = "redirect_loop"  # too many redirects, or in a circle
    TOO_LARGE = "too_large"  # over the limit
    BAD_ENCODING = "bad_encoding"  # content coding unknown or broken
    DISALLOWED = "disallowed"  # robots.txt forbids it
    NOT_A_FEED = "not_a_feed"  # the adapter cannot read the document
    BLOCKED = "blocked"  # a challenge, consent or sign-in page
    NO_CONTENT = "no_content"  # a document of 0 bytes
    EMPTY = "empty"  # nothing where there should be entries
    PARSE_TIMEOUT = "parse_timeout"  # parsing took too much time or memory
    CUT = "cut"  # read, but it held more than is kept of one document


# What a failure adds to the fail score of a source (docs/decisions/0018): 1 if it will not end by
# itself, 0.5 if it may be temporary, 0.25 if the vendor asks to wait.
WEIGHTS: MappingProxyType[Failure, float] = MappingProxyType(
    {
        Failure.UNAUTHORIZED: 1.0,
        Failure.FORBIDDEN: 1.0,
        Failure.GONE: 1.0,
        Failure.NOT_FOUND: 0.5,
        Failure.CLIENT_ERROR: 1.0,
        Failure.RATE_LIMITED: 0.25,
        Failure.UNAVAILABLE: 0.25,
        Failure.SERVER_ERROR: 0.5,
        Failure.TIMEOUT: 0.5,
        Failure.TLS: 0.5,
        Failure.CONNECTION: 0.5,
        Failure.DNS_TEMPORARY: 0.25,
        Failure.DNS: 0.5,
        Failure.ADDRESS_REFUSED: 1.0,
        Failure.REDIRECT_LOOP: 0.5,
        Failure.TOO_LARGE: 1.0,
        Failure.BAD_ENCODING: 0.5,
        Failure.DISALLOWED: 1.0,
        Failure.NOT_A_FEED: 1.0,
        Failure.BLOCKED: 1.0,
        Failure.NO_CONTENT: 0.5,
        Failure.EMPTY: 0.5,
        Failure.PARSE_TIMEOUT: 1.0,
        Failure.CUT: 0.0,
    }
)

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

    def __post_init__(self) -> None:
        if self.etag is None and self.last_modified is None:
            raise ValueError("validators need an etag or a last_modified")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document was fetched.

    ``address`` is where it was in the end, ``permanent_address`` where permanent redirects
    alone have led to (None: there were none). ``freshness`` is for how long the vendor says
    the document is fresh, None if it does not.
    """

    body: bytes
    content_type: str | None
    address: str
    validators: Validators | None = None
    freshness: timedelta | None = None
    permanent_address: str | None = None

    def shortened(self) -> "Fetched":
        """Return this without the middle of its body, which nobody needs once it is parsed."""
        if len(self.body) <= BEGINNING + END:
            return self
        return replace(self, body=self.body[:BEGINNING] + self.body[-END:])


@dataclass(frozen=True, slots=True)
class NotModified:
    """The vendor says that the document is the one we have (304). Fields as in Fetched."""

    validators: Validators
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
