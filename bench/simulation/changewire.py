"""The policy of Changewire: the functions that the ingester calls."""

import zlib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from ingest.scheduling.fetch_state import FetchState, Parsed, health_facts, state_after
from ingest.scheduling.health import judge
from ingest.scheduling.schedule import HOST_PAUSES, WINDOW, Cadence, RetryAfter, cadence, host_pause
from openapi.vocabulary import AdapterType, Health
from simulation.policy import CheckOutcome, PauseRequest, Plan
from simulation.world import FEED, HOUR, Publisher

BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
ADDRESS: Final = "https://example.com/feed"
NOT_MODIFIED: Final = NotModified(Validators(ADDRESS, etag='"1"'))


@dataclass(frozen=True, slots=True)
class State:
    """What is stored between two checks."""

    facts: FetchState
    published: tuple[datetime, ...]
    health: Health = Health.UNKNOWN


class ChangewirePolicy:
    """Decides by the functions of ingest.scheduling."""

    name = "Changewire"

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
        cadence_, changes_at = None, float("inf")
        if outcome.failure is None:
            cadence_, changes_at = _cadence_of(state.published, now)
        facts = state_after(
            state.facts, _result(publisher, outcome, state.facts), now=now, cadence=cadence_
        )
        health = judge(health_facts(facts), now=now).health
        assert facts.next_check_at is not None
        holds_until = changes_at if outcome.failure is None else 0.0
        return Plan(
            seconds(facts.next_check_at), State(facts, state.published, health), holds_until
        )

    def host_pause(self, pauses: Sequence[PauseRequest], now: float) -> float | None:
        """Pause a host once three of its addresses sent Retry-After."""
        if len(pauses) < HOST_PAUSES:
            return None
        retry_afters = [
            RetryAfter(pause.slug, moment(pause.at), moment(pause.until)) for pause in pauses
        ]
        until = host_pause(retry_afters, now=moment(now))
        return None if until is None else seconds(until)


def _cadence_of(published: Sequence[datetime], now: datetime) -> tuple[Cadence, float]:
    """Return the cadence of a vendor, and when its oldest entry leaves the window."""
    end = bisect_right(published, now)
    start = bisect_right(published, now - WINDOW)
    cadence_ = cadence(published[max(start - 1, 0) : end], now=now)
    return cadence_, seconds(published[start] + WINDOW) if start < end else float("inf")


def _result(
    publisher: Publisher, outcome: CheckOutcome, facts: FetchState
) -> Failed | Parsed | NotModified:
    fresh_for = None if publisher.fresh_for is None else timedelta(seconds=publisher.fresh_for)
    if outcome.failure is not None:
        retry_after = (
            None if outcome.retry_after is None else timedelta(seconds=outcome.retry_after)
        )
        return Failed(Failure(outcome.failure), retry_after=retry_after)
    if publisher.validators and outcome.new == 0 and facts.validators is not None:
        return NotModified(NOT_MODIFIED.validators, fresh_for)
    validators = NOT_MODIFIED.validators if publisher.validators else None
    return Parsed(Fetched(b"", None, ADDRESS, validators, fresh_for), "", "1")


def moment(at: float) -> datetime:
    """Return a time of the simulation as a datetime."""
    return BEGIN + timedelta(seconds=at)


def seconds(at: datetime) -> float:
    """Return a datetime as seconds of the simulation."""
    return (at - BEGIN).total_seconds()
