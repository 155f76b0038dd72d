"""What changes for a source whose hub pushes: it is polled rarely while the hub keeps its word.

Pure, as all of scheduling.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from ingest.fetching.hubs import Hub
from ingest.scheduling.fetch_state import FetchState, usual_wait, with_cadence
from ingest.scheduling.schedule import USUAL_UNIT_WAIT, Cadence, Pace, interval, next_check

PATIENCE: Final = timedelta(hours=1)
"""By then a hub has pushed what was published, or does not."""


class KnownHub(NamedTuple):
    """What is stored of the hub that a source names: columns of the subscription to it."""

    hub: str | None = None
    topic: str | None = None
    live_since: datetime | None = None
    live_until: datetime | None = None
    pushed_at: datetime | None = None

    def is_live(self, now: datetime) -> bool:
        """Tell whether the hub has promised to push."""
        return self.live_until is not None and self.live_until > now

    def is_other_than(self, named: Hub | None) -> bool:
        """Tell whether a document names another hub, or another topic."""
        return (self.hub, self.topic) != (named or (None, None))

    def has_missed(self, published: Iterable[datetime], *, now: datetime) -> bool:
        """Tell whether a poll brought a new entry that the hub should have pushed before.

        ``published`` are the times of new entries; an undated one has that of the poll, and was
        missed unless the hub has just pushed something.
        """
        if not self.is_live(now) or self.live_since is None:
            return False
        late = now - PATIENCE
        is_quiet = self.live_since < late and (self.pushed_at is None or self.pushed_at < late)
        return any(self.live_since < at < late or (at == now and is_quiet) for at in published)


NO_HUB: Final = KnownHub()


@dataclass(frozen=True, slots=True)
class Pushed:
    """A hub pushed a document. ``differs``: it has an entry or an edit that was not known.

    ``written`` are the bytes that it adds.
    """

    differs: bool = False
    written: int = 0


def state_after_push(
    state: FetchState,
    pushed: Pushed,
    *,
    now: datetime,
    cadence: Cadence | None = None,
    unit: timedelta = USUAL_UNIT_WAIT,
) -> FetchState:
    """Return the state to store after a push, which is no check.

    What it brought is read once more at the vendor's own address, when the source would have been
    checked without a hub: hubs may push a part of a document, and are not the vendor.
    """
    after = with_cadence(state, cadence)
    if not pushed.differs or state.last_attempt_at is None:
        return after
    usual = usual_wait(state, cadence, unit=unit, now=now)
    retry_after_at = state.retry_after_at
    pace = Pace(
        slug=state.slug,
        interval=interval(usual, state.floor, open_gap=state.open_gap),
        failures=state.failures,
        first_failed_at=state.first_failed_at,
        retry_after=None if retry_after_at is None else retry_after_at - state.last_attempt_at,
    )
    due = max(next_check(pace, now=state.last_attempt_at), now)
    return replace(after, next_check_at=min(state.next_check_at or due, due))
