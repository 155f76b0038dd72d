"""The robots exclusion protocol (RFC 9309), for html sources.

Protego reads the rules and matches them (docs/decisions/0020). ``robots_of`` does the one fetch,
all else is pure.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from protego import Protego

from ingest.fetching.client import Client
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failed, Failure, Fetched, Outcome
from outbound.transport import check_url

PRODUCT_TOKEN: Final = "changewire"  # noqa: S105 - what RFC 9309 calls the name of a crawler
VALID_FOR: Final = timedelta(hours=24)
RETRY_AFTER: Final = timedelta(hours=1)  # while the site does not give its rules
UNREACHABLE_FOR: Final = timedelta(days=30)
LONGEST_FILE_BYTES: Final = 512 * 1024
_USER_AGENT: Final = re.compile(
    r"[ \t]*user-agent[ \t]*:[ \t]*(?:(\*)|([a-z_-]*)).*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site for us, as of ``fetched_at``; None: they could never be fetched.

    ``failed`` and ``unreachable_since`` are set while the site does not give its rules.
    """

    fetched_at: datetime
    rules: Protego | None
    failed: Failed | None = None
    unreachable_since: datetime | None = None

    def is_fresh(self, *, now: datetime) -> bool:
        """Return whether the rules need not be fetched again yet."""
        valid = VALID_FOR if self.failed is None else RETRY_AFTER
        return now - self.fetched_at < valid


def robots_of(client: Client, url: str, *, cached: Robots | None, now: datetime) -> Robots:
    """Return the rules of the site that ``url`` is on, fetching them if ``cached`` is too old."""
    if cached is not None and cached.is_fresh(now=now):
        return cached
    outcome = fetch(client, robots_address(url), now=now, accept="text/plain, */*;q=0.5")
    return robots_from(outcome, cached=cached, now=now)


def robots_address(url: str) -> str:
    """Return where the site of a page keeps its rules (RFC 9309 §2.3)."""
    return str(check_url(url).copy_with(raw_path=b"/robots.txt"))


def robots_from(outcome: Outcome, *, cached: Robots | None, now: datetime) -> Robots:
    """Return the rules after a fetch of robots.txt (RFC 9309 §2.3.1).

    Refused or missing (4xx, too many redirects): everything is allowed. Unreachable (5xx, 429,
    no connection): the cached rules still apply; if there are none, nothing is
    allowed until the site responds, or has not responded for 30 days.
    """
    if isinstance(outcome, Fetched):
        return Robots(now, parse(outcome.body))
    if isinstance(outcome, Failed) and _is_unreachable(outcome):
        since = (cached.unreachable_since if cached else None) or now
        return Robots(now, cached.rules if cached else None, outcome, since)
    return Robots(now, parse(b""))


def parse(body: bytes) -> Protego:
    """Return the rules of a robots.txt.

    Each group is left with our product token or with another: Protego would compare versions
    too, and take any beginning of a name for the name.
    """
    text = body[:LONGEST_FILE_BYTES].decode("utf-8-sig", errors="replace")
    return Protego.parse("\n".join(map(_with_product_token, text.splitlines())))


def refusal(robots: Robots, url: str, *, now: datetime) -> Failed | None:
    """Return the failure of a page that may not be fetched, None if it is allowed.

    The longest matching rule decides (§2.2.2); a site that cannot say its rules is waited for.
    """
    if robots.rules is None:
        waited = now - (robots.unreachable_since or now)
        return robots.failed if waited < UNREACHABLE_FOR else None
    if robots.rules.can_fetch(str(check_url(url)), PRODUCT_TOKEN):
        return None
    return Failed(Failure.DISALLOWED, message="robots.txt does not allow this page.")


def _with_product_token(line: str) -> str:
    """Return a user-agent line that names ``*``, our product token or ``other``."""
    user_agent = _USER_AGENT.match(line)
    if user_agent is None:
        return line
    wildcard, token = user_agent.groups()
    is_us = token is not None and token.lower() == PRODUCT_TOKEN
    return f"User-agent: {wildcard or (PRODUCT_TOKEN if is_us else 'other')}"


def _is_unreachable(failed: Failed) -> bool:
    is_client_error = failed.status is not None and 400 <= failed.status < 500
    looped = failed.failure in {Failure.REDIRECT_LOOP, Failure.TOO_LARGE, Failure.NO_CONTENT}
    return failed.failure is Failure.RATE_LIMITED or not (is_client_error or looped)
