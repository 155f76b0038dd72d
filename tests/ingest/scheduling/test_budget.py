"""How a budget of requests is spent on sources."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.budget import Allotment, Demand, allot, weight
from ingest.scheduling.schedule import LONGEST, SHORTEST, USUAL_UNIT_WAIT

HOUR = timedelta(hours=1)
DEMANDS = st.lists(
    st.builds(
        Demand,
        st.sampled_from(["a.example", "b.example"]),
        st.floats(0.05, 4),
        st.none() | st.timedeltas(timedelta(), timedelta(days=2)),
        st.integers(0, 40),
    ),
    min_size=1,
    max_size=30,
)


def requests_of(demands, *, unit):
    """Return the requests of a day, each wait longer by the mean jitter."""
    return sum(
        timedelta(days=1) / (1.05 * min(max(unit / demand.weighted_pull, floor), LONGEST))
        for demand in demands
        for floor in [max(demand.floor or SHORTEST, SHORTEST)]
    )


def test_without_sources_the_usual_wait_holds():
    assert allot([]) == (USUAL_UNIT_WAIT, {})


def test_all_alike_share_evenly():
    usual, _ = allot([Demand("a.example", 0.5) for _ in range(10)], a_day=5)

    assert usual / 0.5 == pytest.approx(24 * HOUR / 5 / 1.05, rel=1e-4)


def test_four_times_the_entries_are_twice_the_checks():
    slow, fast = Demand("a.example", 0.5), Demand("b.example", 1.0)

    unit, _ = allot([slow, fast], a_day=6)

    assert requests_of([fast], unit=unit) == pytest.approx(2 * requests_of([slow], unit=unit))


def test_what_a_floor_saves_is_spent_on_others():
    free = [Demand("a.example", 1.0)]
    held = [Demand("b.example", 1.0, timedelta(hours=12))]

    unit, _ = allot(free + held, a_day=5)

    assert requests_of(free, unit=unit) == pytest.approx(
        10 - requests_of(held, unit=unit), rel=1e-3
    )


def test_a_crowded_host_gets_no_more_than_its_share_and_others_the_rest():
    crowd = [Demand("crowd.example", 1.0) for _ in range(10)]
    others = [Demand(f"{number}.example", 1.0) for number in range(10)]

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
