"""How a budget of requests is spent on sources."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.budget import Allotment, allot, host_pause, spread, weight
from ingest.scheduling.schedule import LONGEST, SHORTEST

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DEMANDS = st.lists(
    st.tuples(
        st.sampled_from(["a.example", "b.example"]),
        st.floats(0.05, 4),
        st.none() | st.timedeltas(timedelta(), timedelta(days=2)),
    ),
    min_size=1,
    max_size=30,
)


def requests_of(demands, *, unit):
    """Return the requests of a day, each wait longer by the mean jitter."""
    return sum(
        timedelta(days=1) / (1.05 * min(max(unit / pull, floor or SHORTEST, SHORTEST), LONGEST))
        for _, pull, floor in demands
    )


def test_four_times_the_entries_are_twice_the_checks():
    slow, fast = ("a.example", 0.5, None), ("b.example", 1.0, None)

    unit, _ = allot([slow, fast], a_day=6)

    assert requests_of([fast], unit=unit) == pytest.approx(2 * requests_of([slow], unit=unit))


def test_what_a_floor_saves_is_spent_on_others():
    free = [("a.example", 1.0, None)]
    held = [("b.example", 1.0, 12 * HOUR)]

    unit, _ = allot(free + held, a_day=5)

    assert requests_of(free, unit=unit) == pytest.approx(
        10 - requests_of(held, unit=unit), rel=1e-3
    )


def test_a_crowded_host_gets_no_more_than_its_share_and_others_the_rest():
    crowd = [("crowd.example", 1.0, None)] * 10
    others = [(f"{number}.example", 1.0, None) for number in range(10)]

    usual, hosts = allot(crowd + others, a_day=5, host_a_day=20)

    assert requests_of(crowd, unit=hosts["crowd.example"]) == pytest.approx(20, rel=1e-3)
    assert requests_of(others, unit=usual) == pytest.approx(80, rel=1e-3)


@pytest.mark.parametrize(("followers", "times"), [(0, 1), (3, 2), (15, 4), (1000, 4)])
def test_followers_weigh_up_to_four_times(followers, times):
    assert weight(followers) == times


def test_a_source_that_is_followed_waits_less_and_one_of_a_crowded_host_more():
    allotment = Allotment(HOUR, {"crowd.example": 3 * HOUR}, {7: 2.0})

    assert allotment.unit_wait(1, "a.example") == HOUR
    assert allotment.unit_wait(7, "a.example") == HOUR / 2
    assert allotment.unit_wait(1, "crowd.example") == 3 * HOUR


@given(DEMANDS, st.floats(1, 48))
def test_the_budget_is_never_overspent_but_where_nobody_may_wait_longer(demands, a_day):
    unit, _ = allot(demands, a_day=a_day)

    least = requests_of(demands, unit=timedelta(days=900))
    assert requests_of(demands, unit=unit) <= max(a_day * len(demands), least) * 1.001


@given(DEMANDS, st.floats(1, 20))
def test_a_larger_budget_makes_no_source_wait_longer(demands, a_day):
    assert allot(demands, a_day=2 * a_day)[0] <= allot(demands, a_day=a_day)[0]


def asking(path: str, minute: float, hours: float = 5):
    return f"https://acme.example/{path}", NOW + minute * MINUTE - HOUR, NOW + hours * HOUR


@pytest.mark.parametrize(
    ("askings", "hours"),
    [
        ([], None),
        ([asking("a", 0), asking("b", 1), asking("a", 2)], None),
        ([asking("a", 0), asking("b", 5), asking("c", 10)], 5),
        ([asking("a", 0), asking("b", 5), asking("c", 10.1)], None),
        ([asking("a", 0, 1), asking("b", 1, 2), asking("c", 2, 3), asking("d", 3, 4)], 2),
        ([asking("a", 0, -1), asking("b", 1), asking("c", 2)], None),
        ([asking("a", 0), asking("b", 9), asking("c", 18), asking("d", 19)], 5),
    ],
)
def test_a_host_is_left_alone_once_three_of_its_urls_asked_in_ten_minutes(askings, hours):
    expected = None if hours is None else NOW + hours * HOUR

    assert host_pause(askings, now=NOW) == expected
    assert host_pause(reversed(askings), now=NOW) == expected


def test_overdue_sources_are_spread_and_a_crowded_host_delays_nobody_else():
    crowd = dict.fromkeys(range(100), "crowd.example")

    times = spread(
        {**crowd, 100: "other.example"}, now=NOW, per_second=20, host_spacing=10 * SECOND
    )

    assert [times[number] for number in range(100)] == [NOW + 10 * n * SECOND for n in range(100)]
    assert times[100] == NOW + 5 * SECOND
