"""Decides how long to wait before a request is repeated, without side effects."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

RETRIED = frozenset({429, 502, 503, 504})
"""Statuses that are retried: the contract's, and those of a proxy whose service restarts."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to try.

    ``attempts`` counts the first one too. Waits double from ``first_wait``; what the service asks
    for counts instead when it is longer. Nothing waits longer than ``longest_wait``: where the
    service asks for more, its error is raised at once.
    """

    attempts: int = 4
    first_wait: timedelta = timedelta(seconds=0.5)
    longest_wait: timedelta = timedelta(minutes=1)

    def wait(self, tried: int, retry_after: timedelta | None, *, jitter: float) -> timedelta | None:
        """Return the wait after ``tried`` attempts, or None to give up.

        ``jitter``, 0 to 1, lengthens the client's own waits by up to a quarter, so that many
        clients do not come back together. What the service asked for is never shortened.
        """
        if tried >= self.attempts:
            return None
        requested = retry_after or timedelta(0)
        own = self.first_wait * float(2 ** min(tried - 1, 20)) * (1 + jitter / 4)
        return (
            None if requested > self.longest_wait else max(requested, min(own, self.longest_wait))
        )


def retry_after_of(headers: Mapping[str, str]) -> timedelta | None:
    """Return the Retry-After of a response (RFC 9110 section 10.2.3), or None.

    A date is relative to the Date of the response, so that the local clock does not matter.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return timedelta(seconds=min(int(value[:9]), 10**8))
    until, sent = _moment(value), _moment(headers.get("date", ""))
    if until is None or sent is None:
        return None
    return max(until - sent, timedelta(0))


def _moment(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError):
        return None
    return moment if moment.tzinfo is not None else None
