"""Parse Retry-After and HTTP dates (RFC 9110 §10.2.3, §5.6.7). Pure."""

import math
import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

LONGEST_WAIT = timedelta(days=31)

_SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")


def parse_retry_after(text: str, *, now: datetime) -> timedelta | None:
    """Return the delay of a Retry-After field, at most LONGEST_WAIT; None for other text."""
    value = text.strip()
    if _SECONDS.fullmatch(value):
        return min(timedelta(seconds=math.ceil(float(value))), LONGEST_WAIT)
    until = parse_http_date(value)
    return None if until is None else wait_until(until, now=now)


def wait_until(until: datetime, *, now: datetime) -> timedelta:
    """Return the time left until a moment: never negative, at most LONGEST_WAIT."""
    return min(max(until - now, timedelta()), LONGEST_WAIT)


def parse_http_date(text: str | None) -> datetime | None:
    """Parse an HTTP date in any of its three forms; None for other text."""
    if not text:
        return None
    try:
        date = parsedate_to_datetime(text.strip())
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
