"""Which snapshots may be forgotten."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.snapshots.snapshot import KEPT_FOR, KEPT_SNAPSHOTS, prune

DAY = timedelta(days=1)
NOW = datetime(2026, 11, 21, tzinfo=UTC)


def taken(count: int, *, every: timedelta) -> list[tuple[str, datetime]]:
    return [(f"s{number:03}", NOW - number * every) for number in range(count)]


def test_a_slow_source_keeps_its_two_hundred_newest_however_old():
    found = prune(taken(203, every=timedelta(days=30)), now=NOW)
    assert found == ["s202", "s201", "s200"]


def test_a_busy_source_keeps_ninety_days_however_many():
    found = prune(taken(1_000, every=timedelta(hours=6)), now=NOW)
    assert len(found) == 1_000 - 361
    assert found[-1] == "s361"


@given(st.lists(st.integers(0, 400), max_size=450), st.randoms(use_true_random=False))
def test_only_what_is_neither_recent_nor_among_the_newest_is_dropped(ages, random):
    kept = [(str(number), NOW - timedelta(days=age)) for number, age in enumerate(ages)]
    random.shuffle(kept)
    times = dict(kept)
    dropped = prune(kept, now=NOW)
    left = [times[id_] for id_ in times.keys() - set(dropped)]
    assert len(left) >= min(len(kept), KEPT_SNAPSHOTS)
    assert all(times[id_] < NOW - KEPT_FOR for id_ in dropped)
    assert all(times[id_] <= min(left) for id_ in dropped)
