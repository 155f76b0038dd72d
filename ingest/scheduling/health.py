"""The health of a source: a pure function of stored facts (docs/decisions/0018).

The facts hold no address and no text of a vendor's, so no message here can give away where a source
is fetched from.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from ingest.fetching.outcomes import Failure
from ingest.scheduling.schedule import ENOUGH_ENTRIES
from openapi.text import counted
from openapi.vocabulary import AdapterType, Health

HIGHEST_SCORE = 4.0
LOWEST_SCORE = 0.25
PROBLEMATIC_SCORE = 3.0
DEGRADED_SCORE = 1.0
STREAK = 3
UNATTENDED = timedelta(days=7)
LOST = timedelta(days=7)
LATE = timedelta(hours=5)
LATE_GRACE = timedelta(hours=1)
QUIET = timedelta(days=14)
_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)


@dataclass(frozen=True, slots=True)
class HealthFacts:
    """The facts that health is judged by.

    ``interval`` is the time between two checks. ``empty_streak`` counts documents in a row that
    were empty or blocked, ``failures`` failed attempts in a row. ``last_failure`` and
    ``last_status`` belong to the last attempt and are None when it succeeded (a 304 is a
    success). ``open_gap``: entries may have been missed, and were not backfilled.
    """

    adapter_type: AdapterType
    interval: timedelta
    fail_score: float = 0.0
    failures: int = 0
    empty_streak: int = 0
    first_attempt_at: datetime | None = None
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    last_failure: Failure | None = None
    last_status: int | None = None
    entries_180d: int = 0
    median_gap: timedelta | None = None
    newest_published_at: datetime | None = None
    open_gap: bool = False


def facts_of(stored: object, **others: Any) -> HealthFacts:
    """Return the facts among the attributes of what is stored of a source, but for ``others``."""
    kept = {
        field.name: getattr(stored, field.name)
        for field in fields(HealthFacts)
        if field.name not in others
    }
    return HealthFacts(**kept, **others)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A state, the reasons for it (for the operator), and a message for everybody.

    There are reasons for every state, a message for degraded and problematic only.
    """

    health: Health
    reasons: tuple[str, ...]
    message: str | None = None


def failure_message(failure: Failure, status: int | None) -> str:
    """Return what went wrong as part of a sentence, with the HTTP status of an error."""
    return failure.message + (f", HTTP {status}" if status is not None and status >= 400 else "")


def duration(value: timedelta) -> str:
    """Return a duration in the largest unit that fits at least twice, or minutes."""
    for name, unit in _UNITS:
        if value >= 2 * unit:
            return f"{value // unit} {name}s"
    return "1 minute" if value >= timedelta(minutes=1) else "less than a minute"


def after_failure(score: float, failure: Failure) -> float:
    """Return the fail score after one more failure, between 0 and 4."""
    return min(score + failure.weight, HIGHEST_SCORE)


def after_success(score: float) -> float:
    """Return the fail score after a success: a quarter of it, and 0 if that is below 0.25."""
    quarter = score / 4
    return quarter if quarter >= LOWEST_SCORE else 0.0


def judge(facts: HealthFacts, *, now: datetime) -> Verdict:
    """Return the worst health that has a reason, and its message."""
    if facts.last_attempt_at is None:
        return Verdict(Health.UNKNOWN, ("not attempted yet",))
    if now - facts.last_attempt_at >= UNATTENDED:
        waited = duration(now - facts.last_attempt_at)
        return Verdict(Health.UNKNOWN, (f"not attempted for {waited}",))
    never_read = facts.last_success_at is None and facts.fail_score < DEGRADED_SCORE
    if never_read and facts.last_failure is not Failure.NO_CONTENT:
        return Verdict(Health.UNKNOWN, ("never read so far" + _because(facts),))
    reasons: defaultdict[Health, list[str]] = defaultdict(list)
    for health, sentence in _reasons(facts, now):
        reasons[health].append(sentence)
    for health in (Health.PROBLEMATIC, Health.DEGRADED):
        if health in reasons:
            return Verdict(health, tuple(reasons[health]), _message(facts, now))
    if Health.OK in reasons:
        return Verdict(Health.OK, tuple(reasons[Health.OK]))
    return Verdict(Health.HEALTHY, (f"{_last_read(facts, now)}; entries come as usual",))


def is_overdue(facts: HealthFacts, *, now: datetime) -> bool:
    """Return whether the vendor has been quiet for longer than its usual cadence explains."""
    if facts.newest_published_at is None or facts.entries_180d < ENOUGH_ENTRIES:
        return False
    return now - facts.newest_published_at > max(QUIET, 3 * (facts.median_gap or timedelta()))


def _reasons(facts: HealthFacts, now: datetime) -> Iterator[tuple[Health, str]]:
    """Yield what keeps a source from being healthy, each with the health that it leads to."""
    score = facts.fail_score
    if score > 0:
        failing = Health.DEGRADED if score >= DEGRADED_SCORE else Health.OK
        failing = Health.PROBLEMATIC if score >= PROBLEMATIC_SCORE else failing
        yield failing, f"fail score {score:g} of {HIGHEST_SCORE:g}" + _because(facts)
    read_at = facts.last_success_at or facts.first_attempt_at
    if read_at is not None and now - read_at > LOST:
        yield Health.PROBLEMATIC, _last_read(facts, now)
    if facts.last_failure is Failure.CUT:
        yield Health.DEGRADED, failure_message(facts.last_failure, None)
    if _is_late(facts, now):
        due = f"with a check due every {duration(facts.interval)}"
        yield Health.DEGRADED, f"{_last_read(facts, now)}, {due}"
    if facts.empty_streak:
        is_long = facts.empty_streak >= STREAK
        yield Health.PROBLEMATIC if is_long else Health.DEGRADED, _empty(facts)
    if facts.entries_180d < ENOUGH_ENTRIES:
        entries = counted(facts.entries_180d, "entry", "entries")
        yield Health.OK, f"too few to know the vendor's cadence: {entries} in 180 days"
    if is_overdue(facts, now=now):
        is_page = facts.adapter_type is AdapterType.HTML
        yield Health.DEGRADED if is_page else Health.OK, _quiet(facts, now)
    if facts.open_gap:
        yield Health.OK, "entries may have been missed between two checks"


def _empty(facts: HealthFacts) -> str:
    if facts.last_failure is Failure.NO_CONTENT:
        return "the last reading was a document of 0 bytes"
    if facts.empty_streak == 1:
        return "the last reading was empty or blocked"
    return f"{facts.empty_streak} readings in a row were empty or blocked"


def _is_late(facts: HealthFacts, now: datetime) -> bool:
    limit = max(LATE, 2 * facts.interval + LATE_GRACE)
    return facts.last_success_at is not None and now - facts.last_success_at > limit


def _because(facts: HealthFacts) -> str:
    if facts.last_failure is None:
        return ""
    if facts.last_failure is Failure.CUT:
        return f": {failure_message(facts.last_failure, None)}"
    attempts = f"{facts.failures} attempts in a row" if facts.failures > 1 else "1 attempt"
    return f": {failure_message(facts.last_failure, facts.last_status)} ({attempts})"


def _last_read(facts: HealthFacts, now: datetime) -> str:
    if facts.last_success_at is not None:
        return f"last read {duration(now - facts.last_success_at)} ago"
    return f"never read in {duration(now - (facts.first_attempt_at or now))}"


def _quiet(facts: HealthFacts, now: datetime) -> str:
    quiet_for = now - (facts.newest_published_at or now)
    usual = facts.median_gap or timedelta()
    return f"nothing new for {duration(quiet_for)}, usually every {duration(usual)}"


def _message(facts: HealthFacts, now: datetime) -> str:
    """Return one or two sentences for people; they hold numbers but never an address."""
    when = _last_read(facts, now).capitalize()
    if facts.last_failure is not None:
        return f"{when}{_because(facts).replace(':', ';', 1)}."
    if facts.fail_score >= DEGRADED_SCORE:
        return f"{when}, after repeated failures; watched until it has worked a few more times."
    if facts.empty_streak:
        last = "reading" if facts.empty_streak == 1 else f"{facts.empty_streak} readings"
        return f"{when}; no entries in the last {last}."
    if not _is_late(facts, now) and is_overdue(facts, now=now):
        return f"{_quiet(facts, now).capitalize()}. The page may have changed its form."
    return f"{when}, although a check is due every {duration(facts.interval)}."
