"""Meanings of response header fields (RFC 9110, RFC 9111). Pure functions."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from ingest.fetching.outcomes import Failure, Validators
from outbound.retry_after import parse_http_date, parse_retry_after, wait_until

LONGEST_FRESHNESS = timedelta(hours=24)
LONGEST_VALIDATOR = 4096  # characters; longer ones are ignored

_LISTS = frozenset({"cache-control", "content-encoding"})
_MAX_AGE = re.compile(r'(?:^|,)\s*max-age\s*=\s*"?([0-9]{1,12})"?\s*(?:,|$)', re.IGNORECASE)

Headers = Mapping[str, str]

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
    """Tell whether the response says that no request is left, as GitHub's API does."""
    return headers.get("x-ratelimit-remaining", "").strip() == "0"


def challenged(headers: Headers) -> bool:
    """Tell whether a CDN sent a challenge page in place of the document."""
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
