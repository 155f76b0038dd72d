"""How one look changes what is remembered of a source."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from ingest.scheduling.fetch_state import FetchState, Parsed, no_entries, state_after
from ingest.scheduling.health import facts_of, judge
from ingest.scheduling.schedule import Cadence
from openapi.vocabulary import AdapterType

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
FEED, MOVED = "https://acme.example/feed", "https://acme.example/new-feed"
NEW = FetchState("acme.changelog", AdapterType.RSS, FEED)
VALIDATORS = Validators(FEED, '"v1"', "yesterday")


def fetched(**changes) -> Fetched:
    return replace(
        Fetched(b"<rss/>", "application/rss+xml", FEED, VALIDATORS, body_hash="hash-1"), **changes
    )


def read(**changes) -> Parsed:
    return Parsed(fetched(**changes), "parser-1")


def unchanged(**changes) -> NotModified:
    return replace(NotModified(VALIDATORS), **changes)


def failed(failure=Failure.SERVER_ERROR, status=500, retry_after=None) -> Failed:
    return Failed(failure, status, retry_after)


def after_all(*results, start=NEW, step=HOUR):
    facts = start
    for number, result in enumerate(results):
        facts = state_after(facts, result, now=NOW + number * step)
    return facts


def test_the_first_document_fills_the_state():
    found = state_after(
        NEW,
        read(freshness=2 * HOUR),
        now=NOW,
        cadence=Cadence(12, 2 * DAY, NOW - DAY, pull=0.5),
        unit=HOUR,
    )

    assert found == FetchState(
        "acme.changelog",
        AdapterType.RSS,
        FEED,
        etag='"v1"',
        last_modified="yesterday",
        validators_url=FEED,
        body_hash="hash-1",
        parser_version="parser-1",
        first_attempt_at=NOW,
        last_attempt_at=NOW,
        last_success_at=NOW,
        interval=2 * HOUR,
        median_gap=2 * DAY,
        entries_180d=12,
        newest_published_at=NOW - DAY,
        pull=0.5,
        floor=2 * HOUR,
        next_check_at=found.next_check_at,
        health_days="h",
        health_days_until=NOW.date(),
    )

    assert 2 * HOUR <= found.next_check_at - NOW <= 2.2 * HOUR


def test_each_check_leaves_the_health_of_its_day():
    first = after_all(read(), start=replace(NEW, entries_180d=9))
    ill = state_after(first, failed(Failure.NOT_FOUND, 404), now=NOW + DAY)
    well = state_after(ill, read(), now=NOW + DAY + HOUR)

    assert (first.health_days, ill.health_days) == ("h", f"h{well.health_days[-1]}")
    assert well.health_days[-1] in "dp"
    assert well.health_days_until == (NOW + DAY).date()


def test_the_same_document_again_is_a_success_that_forgets_the_failures():
    before = after_all(read(), *[failed()] * 8, start=replace(NEW, ttl=3 * HOUR))

    found = state_after(before, unchanged(validators=Validators(FEED, '"v2"')), now=NOW + DAY)

    assert (found.body_hash, found.parser_version) == ("hash-1", "parser-1")
    assert (found.failures, found.first_failed_at, found.fail_score) == (0, None, 1.0)
    assert (found.last_failure, found.last_status, found.last_success_at) == (None, None, NOW + DAY)
    assert found.validators == Validators(FEED, '"v2"')


def test_a_document_without_validators_forgets_the_old_ones_and_is_asked_for_less_often():
    found = after_all(read(), read(validators=None))

    assert (found.validators, found.interval) == (None, 4 * HOUR)


def test_a_failure_is_stored_beside_the_last_document_that_was_read():
    limited = failed(Failure.RATE_LIMITED, 429, retry_after=3 * DAY)
    found = after_all(read(), failed(Failure.NOT_FOUND, 404), limited)

    assert (found.validators, found.body_hash) == (VALIDATORS, "hash-1")
    assert (found.failures, found.first_failed_at, found.fail_score) == (2, NOW + HOUR, 0.75)
    assert (found.last_failure, found.last_status) == (Failure.RATE_LIMITED, 429)
    assert found.last_attempt_at == NOW + 2 * HOUR
    assert found.next_check_at >= found.retry_after_at == NOW + 2 * HOUR + 3 * DAY


def test_empty_and_blocked_documents_make_one_streak_that_a_success_ends():
    fruitless = [failed(Failure.EMPTY), failed(Failure.TIMEOUT), failed(Failure.BLOCKED)]

    assert after_all(*fruitless).empty_streak == 2
    assert after_all(*fruitless, read()).empty_streak == 0


def test_a_gap_stays_open_until_a_document_closes_it():
    opened = after_all(replace(read(), open_gap=True), unchanged(), failed())

    assert opened.open_gap
    assert opened.interval == 30 * MINUTE
    assert not state_after(opened, read(), now=NOW + 3 * HOUR).open_gap


SEEN, ELSEWHERE = (
    unchanged(permanent_address=address) for address in (MOVED, "https://hijack.example/")
)


@pytest.mark.parametrize(
    ("outcomes", "step", "address", "noted"),
    [
        ([SEEN], HOUR, FEED, MOVED),
        ([SEEN, SEEN], HOUR - MINUTE, FEED, MOVED),
        ([SEEN, SEEN], HOUR, MOVED, None),
        ([SEEN, SEEN, SEEN], HOUR / 2, MOVED, None),
        ([SEEN, failed(), SEEN], HOUR / 2, MOVED, None),
        ([SEEN, ELSEWHERE], HOUR, FEED, "https://hijack.example/"),
        ([SEEN, unchanged(), SEEN], HOUR, FEED, MOVED),
    ],
    ids=["once", "too soon", "an hour later", "half", "a failure", "another target", "none"],
)
def test_a_permanent_redirect_is_believed_when_it_is_seen_an_hour_later(
    outcomes, step, address, noted
):
    found = after_all(*outcomes, step=step)

    assert (found.feed_url, found.redirect_url) == (address, noted)


@pytest.mark.parametrize(
    ("adapter_type", "known", "fails"),
    [
        (AdapterType.RSS, 0, False),
        (AdapterType.RSS, 1, True),
        (AdapterType.GITHUB_RELEASES, 0, False),
        (AdapterType.HTML, 0, True),
        (AdapterType.HTML, 5, True),
    ],
)
def test_a_document_without_entries_fails_where_there_should_be_some(adapter_type, known, fails):
    found = no_entries(adapter_type, stored_entries=known)

    assert (found is not None and found.failure is Failure.EMPTY) is fails


RESULTS = st.one_of(
    st.builds(
        Failed,
        st.sampled_from(Failure),
        st.none() | st.integers(400, 599),
        st.none() | st.timedeltas(timedelta(), 31 * DAY),
        st.just(f"no answer from {FEED}"),
    ),
    st.builds(unchanged, freshness=st.none() | st.timedeltas(timedelta(), DAY)),
    st.builds(read, permanent_address=st.sampled_from([None, MOVED])),
    st.just(NotModified(None)),
)


@given(st.lists(RESULTS, min_size=1, max_size=12), st.sampled_from(AdapterType))
def test_a_source_is_never_given_up_and_its_address_never_shown(results, adapter_type):
    facts, now = replace(NEW, adapter_type=adapter_type), NOW
    for result in results:
        facts = state_after(facts, result, now=now)
        verdict = judge(facts_of(facts, interval=facts.usual_interval), now=now)

        assert now < facts.next_check_at <= now + 31 * DAY + HOUR
        assert 0 <= facts.fail_score <= 4
        assert "acme" not in " ".join([*verdict.reasons, verdict.message or ""])
        now = facts.next_check_at
