"""A verdict that is kept is what judging again would find."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.fetching.outcomes import Failure
from ingest.scheduling.health import HealthFacts, judge
from ingest.scheduling.health_validity import valid_until
from openapi.vocabulary import AdapterType

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SECOND, HOUR, DAY = timedelta(seconds=1), timedelta(hours=1), timedelta(days=1)
moments = st.none() | st.integers(-3 * 86_400, 40 * 86_400).map(lambda age: NOW - age * SECOND)
edges = st.none() | st.sampled_from([NOW - age for age in (2 * HOUR, 5 * HOUR, 7 * DAY, 14 * DAY)])
times = moments | edges
all_facts = st.builds(
    HealthFacts,
    adapter_type=st.sampled_from(AdapterType),
    interval=st.sampled_from([HOUR, 4 * HOUR, DAY]),
    fail_score=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    failures=st.integers(0, 3),
    empty_streak=st.integers(0, 3),
    first_attempt_at=times,
    last_attempt_at=times,
    last_success_at=times,
    last_failure=st.none() | st.sampled_from(Failure),
    entries_180d=st.sampled_from([0, 2, 3, 40]),
    median_gap=st.none() | st.sampled_from([HOUR, 6 * DAY]),
    newest_published_at=times,
    open_gap=st.booleans(),
)


@settings(max_examples=400)
@given(facts=all_facts, part=st.floats(0, 1))
def test_a_verdict_is_the_same_until_its_validity_ends(facts, part):
    verdict = judge(facts, now=NOW)
    until = valid_until(facts, verdict, now=NOW)
    later = NOW + (until - NOW) * part

    again = judge(facts, now=min(later, until - timedelta(microseconds=1)) if until > NOW else NOW)

    assert (again.health, again.message) == (verdict.health, verdict.message)
    assert NOW <= until <= NOW + DAY


def test_a_healthy_source_stays_so_until_a_check_is_late():
    read_at = NOW - HOUR
    facts = HealthFacts(
        AdapterType.RSS,
        HOUR,
        first_attempt_at=NOW - 100 * DAY,
        last_attempt_at=read_at,
        last_success_at=read_at,
        entries_180d=20,
        newest_published_at=NOW - 3 * DAY,
    )

    assert valid_until(facts, judge(facts, now=NOW), now=NOW) == read_at + 5 * HOUR


def test_a_message_is_valid_until_its_age_changes():
    facts = HealthFacts(
        AdapterType.RSS,
        HOUR,
        fail_score=1.0,
        last_attempt_at=NOW,
        last_success_at=NOW - timedelta(hours=3, minutes=20),
    )

    assert valid_until(facts, judge(facts, now=NOW), now=NOW) == NOW + timedelta(minutes=40)
