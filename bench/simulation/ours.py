"""The rules of this project: not a copy of them, but the functions that the ingester calls."""

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
from simulation.policy import Asked, Plan, Seen
from simulation.world import FEED, HOUR, Publisher

BEGIN: Final = datetime(2026, 1, 1, tzinfo=UTC)
ADDRESS: Final = "https://example.com/feed"
SEEN_AGAIN: Final = NotModified(Validators(ADDRESS, etag='"1"'))


@dataclass(frozen=True, slots=True)
class State:
    """What is stored between two looks."""

    facts: FetchState
    published: tuple[datetime, ...]
    health: Health = Health.UNKNOWN


class Ours:
    """Decides by the functions of ingest.scheduling."""

    name = "Changewire"

    def begin(self, publisher: Publisher) -> Plan:
        """Look at once, as a catalog that was just loaded."""
        kind = AdapterType.RSS if publisher.kind == FEED else AdapterType.HTML
        first = zlib.crc32(publisher.slug.encode()) / 2**32 * HOUR
        published = tuple(moment(at) for at in publisher.published)
        return Plan(first, State(FetchState(publisher.slug, kind, ADDRESS), published))

    def after(self, publisher: Publisher, state: object, seen: Seen) -> Plan:
        """Store what a look brings, as ``ingest.pipeline.store`` does."""
        assert isinstance(state, State)
        now = moment(seen.at)
        rhythm, changes_at = None, float("inf")
        if seen.failure is None:
            rhythm, changes_at = _rhythm(state.published, now)
        facts = state_after(
            state.facts, _result(publisher, seen, state.facts), now=now, cadence=rhythm
        )
        health = judge(health_facts(facts), now=now).health
        assert facts.next_check_at is not None
        holds_until = changes_at if seen.failure is None else 0.0
        return Plan(
            seconds(facts.next_check_at), State(facts, state.published, health), holds_until
        )

    def host_pause(self, askings: Sequence[Asked], now: float) -> float | None:
        """Leave a host alone once three of its addresses asked for it."""
        if len(askings) < HOST_PAUSES:
            return None
        wishes = [RetryAfter(each.slug, moment(each.at), moment(each.until)) for each in askings]
        until = host_pause(wishes, now=moment(now))
        return None if until is None else seconds(until)


def _rhythm(published: Sequence[datetime], now: datetime) -> tuple[Cadence, float]:
    """Return the vendor's rhythm, and when the oldest entry it rests on leaves the window."""
    known = bisect_right(published, now)
    left = bisect_right(published, now - WINDOW)
    rhythm = cadence(published[max(left - 1, 0) : known], now=now)
    return rhythm, seconds(published[left] + WINDOW) if left < known else float("inf")


def _result(publisher: Publisher, seen: Seen, facts: FetchState) -> Failed | Parsed | NotModified:
    fresh_for = None if publisher.fresh_for is None else timedelta(seconds=publisher.fresh_for)
    if seen.failure is not None:
        asked = None if seen.retry_after is None else timedelta(seconds=seen.retry_after)
        return Failed(Failure(seen.failure), retry_after=asked)
    if publisher.validators and seen.new == 0 and facts.validators is not None:
        return NotModified(SEEN_AGAIN.validators, fresh_for)
    validators = SEEN_AGAIN.validators if publisher.validators else None
    return Parsed(Fetched(b"", None, ADDRESS, validators, fresh_for), "", "1")


def moment(at: float) -> datetime:
    """Return a time of the simulation as the functions of ingestion know it."""
    return BEGIN + timedelta(seconds=at)


def seconds(at: datetime) -> float:
    """Return a time of ingestion as the simulation knows it."""
    return (at - BEGIN).total_seconds()
