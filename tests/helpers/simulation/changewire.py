"""The policy of Changewire: the functions that the ingester calls."""

import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from ingest.scheduling.budget import A_DAY, HOST_PAUSES, Demand, allot, host_pause
from ingest.scheduling.fetch_state import FetchState, Parsed, state_after
from ingest.scheduling.schedule import (
    BURST,
    LEAST_PULL,
    LONGEST,
    LONGEST_JITTER,
    PRIOR_DAYS,
    SHORTEST,
    USUAL_UNIT_WAIT,
    WINDOW,
    Cadence,
    cadence,
    elapsed,
    floor,
    jitter,
    speeds_of_week,
)
from openapi.vocabulary import AdapterType
from simulation.policy import CheckOutcome, PauseRequest, Plan
from simulation.world import DAY, FEED, FIRST_WEEKDAY, HOUR, Publisher

BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
FOR_EVER: Final = float("inf")
MEASURED_AFTER: Final = 0.05  # of the time or entries known: a rate changes little meanwhile
ADDRESS: Final = "https://example.com/feed"
NOT_MODIFIED: Final = NotModified(Validators(ADDRESS, etag='"1"'))


@dataclass(frozen=True, slots=True)
class State:
    """What is stored between two checks."""

    facts: FetchState
    published: tuple[datetime, ...]


class ChangewirePolicy:
    """Decides by the functions of ingest.scheduling.

    ``world`` is what the budget of ``a_day`` requests a source is shared out among; without one
    the usual wait holds.
    """

    name = "Changewire"

    def __init__(self, world: Iterable[Publisher] = (), *, a_day: float = A_DAY) -> None:
        demands = [self._demand(publisher) for publisher in world]
        self.unit = allot(demands, a_day=a_day)[0] if demands else USUAL_UNIT_WAIT

    def _demand(self, publisher: Publisher) -> Demand:
        published = tuple(moment(at) for at in publisher.published)
        pull = self.cadence(publisher, published, BEGIN)[0].pull
        assert pull is not None
        shortest = floor((fresh_for(publisher),), has_validators=publisher.validators)
        return publisher.host, pull, shortest

    def begin(self, publisher: Publisher) -> Plan:
        """Check within the first hour, like a catalog that was just loaded."""
        kind = AdapterType.RSS if publisher.kind == FEED else AdapterType.HTML
        first = zlib.crc32(publisher.slug.encode()) / 2**32 * HOUR
        published = tuple(moment(at) for at in publisher.published)
        return Plan(first, State(FetchState(publisher.slug, kind, ADDRESS), published))

    def after(self, publisher: Publisher, state: object, outcome: CheckOutcome) -> Plan:
        """Store the outcome of a check, as ``ingest.pipeline.store`` does."""
        assert isinstance(state, State)
        now = moment(outcome.at)
        cadence_, changes_at = None, FOR_EVER
        if outcome.failure is None:
            cadence_, changes_at = self.cadence(publisher, state.published, now)
        facts = state_after(
            state.facts,
            _result(publisher, outcome, state.facts),
            now=now,
            cadence=cadence_,
            unit=self.unit,
        )
        assert facts.next_check_at is not None
        return Plan(
            seconds(facts.next_check_at),
            State(facts, state.published),
            changes_at if outcome.failure is None else 0.0,
            following(facts, self.unit),
        )

    def cadence(
        self, publisher: Publisher, published: Sequence[datetime], now: datetime
    ) -> tuple[Cadence, float]:
        """Return the cadence of a vendor, and until when it is about the same."""
        end = bisect_right(published, now)
        start = bisect_right(published, now - WINDOW)
        cadence_ = cadence(published[max(start - 1, 0) : end], now=now)
        changes = map(seconds, _changes(published[:end], start, now))
        return cadence_, min(changes, default=FOR_EVER)

    def host_pause(self, pauses: Sequence[PauseRequest], now: float) -> float | None:
        """Pause a host once three of its addresses sent Retry-After."""
        if len(pauses) < HOST_PAUSES:
            return None
        retry_afters = [(pause.slug, moment(pause.at), moment(pause.until)) for pause in pauses]
        until = host_pause(retry_afters, now=moment(now))
        return None if until is None else seconds(until)


def _changes(past: Sequence[datetime], start: int, now: datetime) -> Iterable[datetime]:
    """Yield when enough entries leave the window or the last week, or more time is known."""
    for begin, window in ((start, WINDOW), (bisect_right(past, now - BURST), BURST)):
        if begin < len(past):
            yield past[begin + int(MEASURED_AFTER * (len(past) - begin))] + window
    if past and now - past[0] < WINDOW:
        known = now - past[0] + timedelta(days=PRIOR_DAYS)
        yield now + max(MEASURED_AFTER * known, timedelta(days=1))


def following(facts: FetchState, unit: timedelta) -> Callable[[float], float] | None:
    """Return the function from the time of a check to that of the next, if both end alike.

    It does what ``ingest.scheduling.schedule`` does, on seconds; None if the wait is always the
    same.
    """
    if not facts.rhythm or facts.pull is None:
        return None
    speeds, wait = speeds_of_week(facts.rhythm), unit.total_seconds() / max(facts.pull, LEAST_PULL)
    shortest = max(SHORTEST, facts.floor or SHORTEST).total_seconds()
    longest, most_jitter = LONGEST.total_seconds(), LONGEST_JITTER.total_seconds()
    share = jitter(facts.slug, timedelta(days=1)) / LONGEST_JITTER
    first_weekday, week = FIRST_WEEKDAY * DAY, 7 * DAY

    def next_time(at: float) -> float:
        own = max(elapsed(speeds, (at + first_weekday) % week, wait, longest=longest), shortest)
        return at + own + min(own / 10, most_jitter) * share

    return next_time


def fresh_for(publisher: Publisher) -> timedelta | None:
    """Return the TTL or max-age of a vendor."""
    return None if publisher.fresh_for is None else timedelta(seconds=publisher.fresh_for)


def _result(
    publisher: Publisher, outcome: CheckOutcome, facts: FetchState
) -> Failed | Parsed | NotModified:
    if outcome.failure is not None:
        retry_after = (
            None if outcome.retry_after is None else timedelta(seconds=outcome.retry_after)
        )
        return Failed(Failure(outcome.failure), retry_after=retry_after)
    if publisher.validators and outcome.new == 0 and facts.validators is not None:
        return NotModified(NOT_MODIFIED.validators, fresh_for(publisher))
    validators = NOT_MODIFIED.validators if publisher.validators else None
    return Parsed(Fetched(b"", None, ADDRESS, validators, fresh_for(publisher)), "1")


def moment(at: float) -> datetime:
    """Return a time of the simulation as a datetime."""
    return BEGIN + timedelta(seconds=at)


def seconds(at: datetime) -> float:
    """Return a datetime as seconds of the simulation."""
    return (at - BEGIN).total_seconds()
