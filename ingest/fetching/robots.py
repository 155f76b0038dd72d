"""May a page be fetched? The robots exclusion protocol (RFC 9309), for html sources.

Reading the rules and deciding by them are pure; ``robots_of`` does the one fetch.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import quote, unquote_to_bytes

from ingest.fetching.client import Client
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failed, Failure, Fetched, Outcome
from outbound.addresses import check_url

PRODUCT_TOKEN = "changewire"  # noqa: S105 - what RFC 9309 calls the name of a crawler
VALID_FOR = timedelta(hours=24)
LOOK_AGAIN_AFTER = timedelta(hours=1)  # while the site cannot say what it allows
UNREACHABLE_FOR = timedelta(days=30)
LONGEST_FILE = 512 * 1024
_AGENT = re.compile(r"[a-zA-Z_-]+")
_SAFE = "/?&=:;,@!$'()*+~#[]%-._"


class Permission(StrEnum):
    """What robots.txt says about one page. ``wait``: the site cannot say at the moment."""

    ALLOWED = "allowed"
    DISALLOWED = "disallowed"
    WAIT = "wait"


@dataclass(frozen=True, slots=True)
class Rule:
    """Paths that match ``pattern`` are allowed or not."""

    pattern: str
    allow: bool


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site for us, as of ``fetched_at``; None: they were never to be had.

    ``trouble`` and ``unreachable_since`` are set while the site does not give its rules.
    """

    fetched_at: datetime
    rules: tuple[Rule, ...] | None
    trouble: Failed | None = None
    unreachable_since: datetime | None = None

    def is_fresh(self, *, now: datetime) -> bool:
        """Tell whether the rules need not be fetched again yet."""
        valid = VALID_FOR if self.trouble is None else LOOK_AGAIN_AFTER
        return now - self.fetched_at < valid


def robots_of(client: Client, url: str, *, known: Robots | None, now: datetime) -> Robots:
    """Return the rules of the site that ``url`` is on, fetching them if ``known`` is too old."""
    if known is not None and known.is_fresh(now=now):
        return known
    outcome = fetch(client, robots_address(url), now=now, accept="text/plain, */*;q=0.5")
    return understood(outcome, known=known, now=now)


def robots_address(url: str) -> str:
    """Return where the site of a page keeps its rules (RFC 9309 §2.3)."""
    return str(replace(check_url(url), target="/robots.txt"))


def understood(outcome: Outcome, *, known: Robots | None, now: datetime) -> Robots:
    """Return the rules that a fetch of robots.txt came to (RFC 9309 §2.3.1).

    Refused or missing (4xx, too many redirects): everything is allowed. Unreachable (5xx, 429,
    no connection): the rules known before still count; where there are none, nothing is
    allowed until the site answers, or has not answered for 30 days.
    """
    if isinstance(outcome, Fetched):
        return Robots(now, parse(outcome.body))
    if isinstance(outcome, Failed) and _is_unreachable(outcome):
        since = (known.unreachable_since if known else None) or now
        return Robots(now, known.rules if known else None, outcome, since)
    return Robots(now, ())


def permission(robots: Robots, url: str, *, now: datetime) -> Permission:
    """Return whether the page may be fetched: the longest matching rule decides (§2.2.2)."""
    if robots.rules is None:
        waited = now - (robots.unreachable_since or now)
        return Permission.WAIT if waited < UNREACHABLE_FOR else Permission.ALLOWED
    path = normalised(check_url(url).request_target)
    found = [rule for rule in robots.rules if matches(rule.pattern, path)]
    if not found or path == "/robots.txt":
        return Permission.ALLOWED
    best = max(found, key=lambda rule: (len(rule.pattern), rule.allow))
    return Permission.ALLOWED if best.allow else Permission.DISALLOWED


def refusal(robots: Robots, url: str, *, now: datetime) -> Failed | None:
    """Return how a look ends that robots.txt prevents, None if it does not prevent it."""
    match permission(robots, url, now=now):
        case Permission.DISALLOWED:
            return Failed(Failure.DISALLOWED, message="robots.txt does not allow this page.")
        case Permission.WAIT:
            return robots.trouble
        case _:
            return None


def parse(body: bytes, *, product_token: str = PRODUCT_TOKEN) -> tuple[Rule, ...]:
    """Return the rules for us: of all groups that name us, else of those for everyone."""
    groups: dict[str, list[Rule]] = {}
    agents: list[str] = []
    naming = False  # consecutive user-agent lines start one group together
    for field, value in _lines(body):
        if field == "user-agent":
            agents = [*agents, _agent(value)] if naming else [_agent(value)]
            groups.setdefault(agents[-1], [])
            naming = True
        elif field in {"allow", "disallow"}:
            naming = False
            for agent in agents if value else ():
                groups[agent].append(Rule(normalised(value), field == "allow"))
    return tuple(groups.get(product_token, groups.get("*", ())))


def matches(pattern: str, path: str) -> bool:
    """Tell whether a path begins as the pattern says: ``*`` is any text, ``$`` the end.

    No regular expression: a hostile pattern must not cost more than its length.
    """
    anchored = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    for index, piece in enumerate(others, 1):
        if anchored and index == len(others):
            return path.endswith(piece) and len(path) - len(piece) >= position
        position = path.find(piece, position)
        if position < 0:
            return False
        position += len(piece)
    return not anchored or position == len(path)


def normalised(path: str) -> str:
    """Return a path or pattern with one spelling of percent-encoding (§2.2.2)."""
    kept = re.sub(r"%(?![0-9a-fA-F]{2})", "%25", path)
    spelt = re.sub(r"%[0-9a-fA-F]{2}", _unreserved, kept)
    return quote(spelt, safe=_SAFE)


def _unreserved(escape: re.Match[str]) -> str:
    byte = unquote_to_bytes(escape[0])
    plain = byte.isascii() and (byte.isalnum() or byte in b"-._~")
    return byte.decode() if plain else escape[0].upper()


def _agent(value: str) -> str:
    """Return the product token that a user-agent line names, ``*`` for everyone."""
    token = _AGENT.match(value)
    return token[0].lower() if token else "*" if value.startswith("*") else ""


def _lines(body: bytes) -> list[tuple[str, str]]:
    text = body[:LONGEST_FILE].decode("utf-8-sig", errors="replace")
    found = []
    for line in text.splitlines():
        field, colon, value = line.partition("#")[0].partition(":")
        if colon:
            found.append((field.strip().lower(), value.strip()))
    return found


def _is_unreachable(failed: Failed) -> bool:
    answered = failed.status is not None and 400 <= failed.status < 500
    looped = failed.failure in {Failure.REDIRECT_LOOP, Failure.TOO_LARGE, Failure.EMPTY}
    return failed.failure is Failure.RATE_LIMITED or not (answered or looped)
