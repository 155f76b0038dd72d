"""When to look next: every rule of the pace, at its edges."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.scheduling.schedule import (
    Cadence,
    Overdue,
    Pace,
    RetryAfter,
    cadence,
    floor,
    host_pause,
    interval,
    jitter,
    next_check,
    spread,
    start_interval,
    wait,
    wait_for_entries,
)
from openapi.vocabulary import AdapterType, Tier

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
)
DURATIONS = st.timedeltas(timedelta(), timedelta(days=400))
PAST = st.timedeltas(timedelta(), timedelta(days=2000)).map(lambda ago: NOW - ago)


def days_ago(*days: float) -> list[datetime]:
    return [NOW - number * DAY for number in days]


@pytest.mark.parametrize(
    ("published", "gap"),
    [
        ([], None),
        (days_ago(1, 2), None),
        (days_ago(1, 2, 3), DAY),
        (days_ago(1, 2, 4, 14), 2 * DAY),
        (days_ago(1, 2, 3, 400), DAY),
        (days_ago(-1, -2, 1, 2, 4), 1.5 * DAY),
        (days_ago(5, 5, 5), None),
        (days_ago(200), 180 * DAY),
        (days_ago(10, 100, 200), 60 * DAY),
    ],
)
def test_the_median_gap_of_half_a_year(published, gap):
    assert cadence(published, now=NOW).median_gap == gap


def test_of_a_source_without_entries_as_much_is_expected_as_of_all():
    assert cadence([], now=NOW) == Cadence(pull=pytest.approx((2 / 30) ** 0.5))


def test_entries_of_one_instant_pull_once():
    assert cadence(days_ago(3, 3, 3, 9), now=NOW).pull == cadence(days_ago(3, 9), now=NOW).pull


@pytest.mark.parametrize(
    ("pull", "pause"),
    [
        (1 / 24, DAY),
        (1 / 12, 12 * HOUR),
        (1.0, HOUR),
        (100.0, 30 * MINUTE),
    ],
)
def test_a_source_waits_by_its_pull_between_half_an_hour_and_a_day(pull, pause):
    assert wait_for_entries(pull, "", unit=HOUR, now=NOW) == pause


@pytest.mark.parametrize(
    ("adapter_type", "start"),
    [
        (AdapterType.RSS, HOUR),
        (AdapterType.HTML, 4 * HOUR),
    ],
)
def test_the_start_is_an_hour_for_feeds_and_four_for_pages(adapter_type, start):
    assert start_interval(adapter_type) == start


@pytest.mark.parametrize(
    ("wishes", "shortest"),
    [
        ((), None),
        ((2 * HOUR, 3 * HOUR), 3 * HOUR),
        ((None, 5 * HOUR), 5 * HOUR),
        ((365 * DAY,), DAY),
    ],
)
def test_a_vendors_ttl_or_max_age_is_a_floor_of_up_to_a_day(wishes, shortest):
    assert floor(wishes, has_validators=True) == shortest


@pytest.mark.parametrize(
    ("wishes", "shortest"), [((), 4 * HOUR), ((HOUR,), 4 * HOUR), ((5 * HOUR,), 5 * HOUR)]
)
def test_without_validators_it_is_never_under_four_hours(wishes, shortest):
    assert floor(wishes, has_validators=False) == shortest


@pytest.mark.parametrize(
    ("usual", "shortest", "open_gap", "pause"),
    [
        (HOUR, None, False, HOUR),
        (HOUR, 2 * HOUR, False, 2 * HOUR),
        (3 * HOUR, 2 * HOUR, False, 3 * HOUR),
        (HOUR, None, True, 30 * MINUTE),
        (4 * HOUR, 3 * HOUR, True, 3 * HOUR),
    ],
)
def test_an_open_gap_halves_the_interval_but_not_below_what_the_vendor_asks(
    usual, shortest, open_gap, pause
):
    assert interval(usual, shortest, open_gap=open_gap) == pause


@pytest.mark.parametrize(
    ("failures", "pause"),
    [(0, 60), (1, 60), (2, 60), (3, 60), (4, 120), (5, 240), (7, 960), (8, 1440), (1000, 1440)],
)
def test_failures_double_a_quarter_of_an_hour_up_to_a_day(failures, pause):
    pace = Pace("acme.changelog", HOUR, failures, NOW - DAY)

    assert wait(pace, now=NOW) == pause * MINUTE


@pytest.mark.parametrize(
    ("failing_for", "pause"),
    [(30 * DAY - SECOND, DAY), (30 * DAY, 7 * DAY), (400 * DAY, 7 * DAY)],
)
def test_after_thirty_days_of_failing_it_is_a_week(failing_for, pause):
    pace = Pace("acme.changelog", HOUR, 50, NOW - failing_for)

    assert wait(pace, now=NOW) == pause


def test_a_confirmed_410_waits_a_week_at_once():
    assert wait(Pace("acme.changelog", HOUR, 2, NOW, gone=True), now=NOW) == 7 * DAY


PACES = st.builds(
    Pace,
    slug=st.text(min_size=1, max_size=20),
    interval=st.timedeltas(15 * MINUTE, DAY),
    failures=st.integers(0, 500),
    first_failed_at=st.none() | PAST,
    gone=st.booleans(),
    retry_after=st.none() | st.timedeltas(timedelta(), 31 * DAY),
)


@given(PACES)
def test_the_next_check_is_never_before_retry_after_and_always_planned(pace):
    found = next_check(pace, now=NOW)

    assert found >= NOW + pace.interval
    assert found >= NOW + (pace.retry_after or timedelta())
    assert found <= NOW + max(7 * DAY, (pace.retry_after or timedelta()) + HOUR)


@given(st.text(max_size=30), DURATIONS)
def test_jitter_is_the_slugs_own_and_at_most_a_tenth_or_an_hour(slug, waiting):
    found = jitter(slug, waiting)

    assert found == jitter(slug, waiting)
    assert timedelta() <= found <= min(waiting / 10, HOUR)


def asking(path: str, minute: float, hours: float = 5) -> RetryAfter:
    return RetryAfter(
        f"https://acme.example/{path}", NOW + minute * MINUTE - HOUR, NOW + hours * HOUR
    )


@pytest.mark.parametrize(
    ("askings", "hours"),
    [
        ([], None),
        ([asking("a", 0), asking("b", 1), asking("a", 2)], None),
        ([asking("a", 0), asking("b", 5), asking("c", 10)], 5),
        ([asking("a", 0), asking("b", 5), asking("c", 10.1)], None),
        ([asking("a", 0, 1), asking("b", 1, 2), asking("c", 2, 3)], 1),
        ([asking("a", 0, 1), asking("b", 1, 2), asking("c", 2, 3), asking("d", 3, 4)], 2),
        ([asking("a", 0, -1), asking("b", 1), asking("c", 2)], None),
        ([asking("a", 0), asking("b", 9), asking("c", 18), asking("d", 19)], 5),
    ],
)
def test_a_host_is_left_alone_once_three_of_its_urls_asked_in_ten_minutes(askings, hours):
    expected = None if hours is None else NOW + hours * HOUR

    assert host_pause(askings, now=NOW) == expected
    assert host_pause(reversed(askings), now=NOW) == expected


def overdue(number: int, *, hosts: int, late: timedelta = HOUR) -> Overdue:
    return Overdue(f"acme.p{number}", f"host-{number % hosts}.example", NOW - late, HOUR)


def test_five_thousand_overdue_sources_are_spread():
    sources = [overdue(number, hosts=1000) for number in range(5000)]

    times = spread(sources, now=NOW, per_second=5, host_spacing=2 * SECOND)

    assert set(times) == {source.slug for source in sources}
    assert min(times.values()) == NOW
    assert max(times.values()) <= NOW + 20 * MINUTE
    by_host: dict[str, list[datetime]] = {}
    for source in sources:
        by_host.setdefault(source.host, []).append(times[source.slug])
    for at in by_host.values():
        assert all(
            later - earlier >= 2 * SECOND
            for earlier, later in zip(sorted(at), sorted(at)[1:], strict=False)
        )


def test_a_crowded_host_delays_nobody_else():
    crowd = [overdue(number, hosts=1, late=2 * HOUR) for number in range(100)]
    other = Overdue("globex.changelog", "globex.example", NOW - HOUR, HOUR)

    times = spread([*crowd, other], now=NOW, per_second=10, host_spacing=10 * SECOND)

    assert times["globex.changelog"] == NOW + 10 * SECOND
    assert max(times.values()) == NOW + 990 * SECOND


def test_in_the_first_sweep_products_come_before_components_and_blogs():
    never_read = [
        Overdue(f"{tier}.{number}", f"{tier}{number}.example", NOW, HOUR, tier)
        for tier in (Tier.BLOG, Tier.COMPONENT, Tier.PRODUCT)
        for number in (1, 2)
    ]

    times = spread(never_read, now=NOW)

    assert sorted(times, key=times.__getitem__) == [
        *("product.1", "product.2"),
        *("component.1", "component.2"),
        *("blog.1", "blog.2"),
    ]


def test_the_latest_by_their_own_measure_come_first():
    weekly = Overdue("acme.weekly", "a.example", NOW - 2 * DAY, 7 * DAY)
    hourly = Overdue("acme.hourly", "b.example", NOW - HOUR, HOUR)

    times = spread([weekly, hourly], now=NOW)

    assert times["acme.hourly"] < times["acme.weekly"]
