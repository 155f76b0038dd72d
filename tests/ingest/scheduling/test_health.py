"""Every row of the health table, at its edges, and what may be said about it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetching.outcomes import Failure
from ingest.scheduling.health import HealthFacts, after_failure, after_success, judge
from openapi.vocabulary import AdapterType, Health

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = (
    timedelta(seconds=1),
    timedelta(minutes=1),
    timedelta(hours=1),
    timedelta(days=1),
)
WELL = HealthFacts(
    adapter_type=AdapterType.RSS,
    interval=HOUR,
    first_attempt_at=NOW - 100 * DAY,
    last_attempt_at=NOW - HOUR,
    last_success_at=NOW - HOUR,
    entries_180d=20,
    median_gap=7 * DAY,
    newest_published_at=NOW - 3 * DAY,
)
TRIED = HealthFacts(AdapterType.RSS, HOUR, first_attempt_at=NOW - HOUR, last_attempt_at=NOW - HOUR)
QUIET_PAGE = {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 21 * DAY - SECOND}


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        (Health.UNKNOWN, {"last_attempt_at": NOW - 7 * DAY, "fail_score": 4.0}),
        (Health.UNKNOWN, {"last_attempt_at": None, "last_success_at": None}),
        (Health.PROBLEMATIC, {"last_attempt_at": NOW - 7 * DAY + SECOND, "fail_score": 3.0}),
        (Health.PROBLEMATIC, {"last_success_at": NOW - 7 * DAY - SECOND}),
        (Health.PROBLEMATIC, {"empty_streak": 3}),
        (Health.DEGRADED, {"last_success_at": NOW - 5 * HOUR - SECOND}),
        (Health.DEGRADED, {"interval": 4 * HOUR, "last_success_at": NOW - 9 * HOUR - SECOND}),
        (Health.DEGRADED, {"empty_streak": 2}),
        (Health.DEGRADED, QUIET_PAGE),
        (Health.OK, QUIET_PAGE | {"entries_180d": 2}),
        (Health.OK, {"newest_published_at": NOW - 21 * DAY - SECOND}),
        (Health.OK, {"fail_score": 0.99}),
        (Health.OK, {"entries_180d": 2}),
        (Health.OK, {"open_gap": True}),
        (Health.HEALTHY, {}),
        (Health.HEALTHY, {"last_success_at": NOW - 5 * HOUR}),
        (Health.HEALTHY, {"entries_180d": 3}),
        (Health.HEALTHY, {"median_gap": DAY, "newest_published_at": NOW - 14 * DAY}),
        (Health.HEALTHY, {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 21 * DAY}),
    ],
)
def test_each_state_begins_at_its_edge(expected, changes):
    assert judge(replace(WELL, **changes), now=NOW).health is expected


@pytest.mark.parametrize(
    ("expected", "changes"),
    [
        (Health.UNKNOWN, {"first_attempt_at": None, "last_attempt_at": None}),
        (Health.UNKNOWN, {"fail_score": 0.75}),
        (Health.DEGRADED, {"last_failure": Failure.NO_CONTENT, "empty_streak": 1}),
        (Health.DEGRADED, {"fail_score": 1.0}),
        (Health.PROBLEMATIC, {"fail_score": 1.0, "first_attempt_at": NOW - 7 * DAY - SECOND}),
    ],
)
def test_a_source_that_was_never_read_is_judged_by_its_failures(expected, changes):
    assert judge(replace(TRIED, **changes), now=NOW).health is expected


@pytest.mark.parametrize(("score", "after"), [(4.0, 1.0), (1.0, 0.25), (0.99, 0.0)])
def test_a_success_leaves_a_quarter_and_nothing_below_a_quarter(score, after):
    assert after_success(score) == after


@pytest.mark.parametrize(
    ("score", "failure", "after"),
    [
        (0.0, Failure.GONE, 1.0),
        (0.0, Failure.TIMEOUT, 0.5),
        (0.0, Failure.RATE_LIMITED, 0.25),
        (3.5, Failure.NOT_A_FEED, 4.0),
        (4.0, Failure.TIMEOUT, 4.0),
    ],
)
def test_a_failure_adds_its_weight_up_to_four(score, failure, after):
    assert after_failure(score, failure) == after


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {
                "last_failure": Failure.SERVER_ERROR,
                "last_status": 503,
                "fail_score": 1.5,
                "failures": 4,
                "last_success_at": NOW - 3 * DAY,
            },
            "Last read 3 days ago; "
            "the vendor's server returned an error, HTTP 503 (4 attempts in a row).",
        ),
        (
            {"last_success_at": NOW - 9 * HOUR},
            "Last read 9 hours ago, although a check is due every 60 minutes.",
        ),
        (
            {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 45 * DAY},
            "Nothing new for 45 days, usually every 7 days. The page may have changed its form.",
        ),
        ({"empty_streak": 2}, "Last read 60 minutes ago; no entries in the last 2 readings."),
    ],
)
def test_the_message_is_a_sentence_with_numbers(changes, message):
    assert judge(replace(WELL, **changes), now=NOW).message == message


FACTS = st.builds(
    HealthFacts,
    adapter_type=st.sampled_from(AdapterType),
    interval=st.timedeltas(15 * MINUTE, DAY),
    fail_score=st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.5, 3.0, 4.0]),
    failures=st.integers(0, 100),
    empty_streak=st.integers(0, 5),
    first_attempt_at=st.just(NOW - 100 * DAY),
    last_attempt_at=st.none() | st.timedeltas(timedelta(), 9 * DAY).map(lambda ago: NOW - ago),
    last_success_at=st.none() | st.timedeltas(timedelta(), 9 * DAY).map(lambda ago: NOW - ago),
    last_failure=st.none() | st.sampled_from(Failure),
    last_status=st.none() | st.integers(200, 599),
    entries_180d=st.integers(0, 50),
    median_gap=st.none() | st.timedeltas(timedelta(), 90 * DAY),
    newest_published_at=st.none()
    | st.timedeltas(timedelta(), 400 * DAY).map(lambda ago: NOW - ago),
    open_gap=st.booleans(),
)
RANK = {Health.HEALTHY: 0, Health.OK: 1, Health.DEGRADED: 2, Health.PROBLEMATIC: 3}


@given(FACTS)
def test_every_state_has_reasons_without_addresses_and_only_the_bad_ones_a_message(facts):
    verdict = judge(facts, now=NOW)
    said = " ".join([*verdict.reasons, verdict.message or ""])

    assert verdict.reasons
    assert not any(mark in said for mark in ("://", "www.", ".com", ".example", "@", "/"))
    assert (verdict.message is not None) == (
        verdict.health in {Health.DEGRADED, Health.PROBLEMATIC}
    )


@given(FACTS, st.sampled_from(Failure))
def test_a_failure_never_makes_a_source_healthier(facts, failure):
    before = judge(facts, now=NOW).health
    worse = replace(
        facts,
        fail_score=after_failure(facts.fail_score, failure),
        failures=facts.failures + 1,
        last_failure=failure,
    )
    after = judge(worse, now=NOW).health

    if before is not Health.UNKNOWN:
        assert RANK[after] >= RANK[before]
