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
NEW = HealthFacts(AdapterType.RSS, HOUR)
TRIED = replace(NEW, first_attempt_at=NOW - HOUR, last_attempt_at=NOW - HOUR)
FAILED = {"last_failure": Failure.SERVER_ERROR, "last_status": 500, "failures": 1}


def health(facts: HealthFacts = WELL, **changes) -> Health:
    return judge(replace(facts, **changes), now=NOW).health


@pytest.mark.parametrize(
    ("facts", "changes"),
    [
        (NEW, {}),
        (TRIED, {"fail_score": 0.75}),
        (WELL, {"last_attempt_at": NOW - 7 * DAY}),
        (WELL, {"last_attempt_at": NOW - 7 * DAY, "fail_score": 4.0}),
        (WELL, {"last_attempt_at": None, "last_success_at": None}),
    ],
)
def test_a_source_never_fetched_or_not_attempted_is_unknown(facts, changes):
    assert health(facts, **changes) is Health.UNKNOWN


@pytest.mark.parametrize(
    "changes",
    [
        {"fail_score": 3.0},
        {"last_success_at": NOW - 7 * DAY - SECOND},
        {"empty_streak": 3},
        {"last_attempt_at": NOW - 7 * DAY + SECOND, "fail_score": 3.0},
    ],
)
def test_problematic(changes):
    assert health(**changes) is Health.PROBLEMATIC


def test_a_source_never_read_in_more_than_a_week_is_problematic():
    changes = {"fail_score": 1.0, "first_attempt_at": NOW - 7 * DAY - SECOND}

    assert health(TRIED, **changes) is Health.PROBLEMATIC


@pytest.mark.parametrize(
    "changes",
    [
        {"last_success_at": NOW - 5 * HOUR - SECOND},
        {"interval": 4 * HOUR, "last_success_at": NOW - 9 * HOUR - SECOND},
        {"empty_streak": 2},
        {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 21 * DAY - SECOND},
        {
            "adapter_type": AdapterType.HTML,
            "median_gap": DAY,
            "newest_published_at": NOW - 14 * DAY - SECOND,
        },
    ],
)
def test_degraded(changes):
    assert health(**changes) is Health.DEGRADED


def test_a_source_never_read_that_fails_for_certain_is_degraded():
    assert health(TRIED, fail_score=1.0) is Health.DEGRADED


@pytest.mark.parametrize(
    "changes",
    [
        {"fail_score": 0.99},
        {"entries_180d": 2},
        {"entries_180d": 0, "newest_published_at": None, "median_gap": None},
        {"newest_published_at": NOW - 21 * DAY - SECOND},
        {"adapter_type": AdapterType.ATOM, "newest_published_at": NOW - 90 * DAY},
        {"open_gap": True},
        {
            "adapter_type": AdapterType.HTML,
            "entries_180d": 2,
            "newest_published_at": NOW - 170 * DAY,
        },
    ],
)
def test_ok(changes):
    assert health(**changes) is Health.OK


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"last_success_at": NOW - 5 * HOUR},
        {"interval": 4 * HOUR, "last_success_at": NOW - 9 * HOUR},
        {"entries_180d": 3},
        {"newest_published_at": NOW - 21 * DAY},
        {"median_gap": DAY, "newest_published_at": NOW - 14 * DAY},
        {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 21 * DAY},
    ],
)
def test_the_last_good_moment_is_still_healthy(changes):
    assert health(**changes) is Health.HEALTHY


@pytest.mark.parametrize(
    ("score", "after"), [(4.0, 1.0), (1.0, 0.25), (0.25, 0.0), (0.0, 0.0), (0.99, 0.0), (2.0, 0.5)]
)
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
                **FAILED,
                "fail_score": 1.5,
                "failures": 4,
                "last_status": 503,
                "last_success_at": NOW - 3 * DAY,
            },
            "Last read 3 days ago; "
            "the vendor's server has an error, HTTP 503 (4 attempts in a row).",
        ),
        (
            {"fail_score": 3.0, "failures": 3, "last_failure": Failure.NOT_A_FEED},
            "Last read 60 minutes ago; "
            "the document is not of the expected type (3 attempts in a row).",
        ),
        (
            {"fail_score": 1.0},
            "Last read 60 minutes ago, after repeated failures; "
            "watched until it has worked a few more times.",
        ),
        (
            {"last_success_at": NOW - 9 * HOUR},
            "Last read 9 hours ago, although a check is due every 60 minutes.",
        ),
        (
            {"adapter_type": AdapterType.HTML, "newest_published_at": NOW - 45 * DAY},
            "Nothing new for 45 days, usually every 7 days. The page may have changed its form.",
        ),
        (
            {"empty_streak": 2},
            "Last read 60 minutes ago; no entries in the last 2 readings.",
        ),
        (
            {"empty_streak": 1, "failures": 1, "last_failure": Failure.EMPTY, "last_status": 200},
            "Last read 60 minutes ago; "
            "no entries are found where there should be some (1 attempt).",
        ),
        (
            {
                "empty_streak": 1,
                "failures": 1,
                "last_failure": Failure.NO_CONTENT,
                "last_status": 200,
            },
            "Last read 60 minutes ago; the document has 0 bytes (1 attempt).",
        ),
    ],
)
def test_the_message_is_a_sentence_with_numbers(changes, message):
    assert judge(replace(WELL, **changes), now=NOW).message == message


def test_the_reasons_name_everything_that_holds_in_the_state():
    facts = replace(WELL, fail_score=3.5, empty_streak=3, last_failure=Failure.EMPTY, failures=7)

    assert judge(facts, now=NOW).reasons == (
        "fail score 3.5 of 4: "
        "no entries are found where there should be some (7 attempts in a row)",
        "3 readings in a row were empty or blocked",
    )


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
def test_every_state_has_reasons_and_only_the_bad_ones_a_message(facts):
    verdict = judge(facts, now=NOW)

    assert verdict.reasons
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


@given(FACTS)
def test_no_message_contains_an_address(facts):
    verdict = judge(facts, now=NOW)
    said = " ".join([*verdict.reasons, verdict.message or ""])

    assert not any(mark in said for mark in ("://", "www.", ".com", ".example", "@", "/"))
