"""Windows of the rate limiter: what is counted, and what is forgotten."""

import pytest

from handlers.http import limiter
from handlers.http.limiter import SWEEP_SECONDS, Windows


@pytest.fixture
def clock(monkeypatch):
    """The time of the windows, in seconds: ``clock[0]``."""
    now = [1_000.0]
    monkeypatch.setattr(limiter.time, "time", lambda: now[0])
    return now


def test_a_window_counts_until_it_ends_and_then_begins_anew(clock):
    counted = Windows()

    assert [counted.incr("a", 60, 2), counted.incr("a", 60)] == [2, 3]
    assert (counted.get("a"), counted.get_expiry("a")) == (3, 1_060.0)
    clock[0] = 1_060.0
    assert counted.incr("a", 60) == 1


def test_windows_that_ended_are_dropped_and_the_others_kept(clock):
    counted = Windows()
    for number in range(1_000):
        counted.incr(f"address/{number}", 60)
    clock[0] += 59
    counted.incr("late", 60)
    clock[0] += SWEEP_SECONDS

    counted.incr("now", 60)

    assert counted.reset() == 2
