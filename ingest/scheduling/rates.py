"""How many entries a vendor is expected to publish: a posterior of the rate, pure functions.

Publishing is taken for a Poisson process whose rate is uncertain. What is known of all vendors is
the prior for one of them, and what its last half year says the prior for its last week, which
notices bursts (docs/decisions/0019).
"""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

DAY: Final = timedelta(days=1)
WINDOW: Final = timedelta(days=180)
BURST: Final = timedelta(days=7)
PRIOR_ENTRIES: Final = 2.0
PRIOR_DAYS: Final = 30.0
BURST_PRIOR_ENTRIES: Final = 3.0


def expected_rate(past: Sequence[datetime], *, now: datetime) -> float:
    """Return how many entries a day are expected of a source now.

    ``past`` are the distinct times of its entries up to now, in order: entries of one instant are
    one event. The oldest of a source begins its time, unless it was known for the whole window.
    """
    if not past:
        return PRIOR_ENTRIES / PRIOR_DAYS
    begin = max(past[0], now - WINDOW)
    half_year = (PRIOR_ENTRIES + _events(past, begin)) / (PRIOR_DAYS + (now - begin) / DAY)
    begin = max(past[0], now - BURST)
    known_for = BURST_PRIOR_ENTRIES / half_year + (now - begin) / DAY
    return (BURST_PRIOR_ENTRIES + _events(past, begin)) / known_for


def _events(past: Sequence[datetime], begin: datetime) -> int:
    return len(past) - bisect_right(past, begin)
