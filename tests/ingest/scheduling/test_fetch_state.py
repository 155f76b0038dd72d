"""How one look changes what is remembered of a source."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from ingest.scheduling.fetch_state import (
    FetchState,
    Parsed,
    health_facts,
    no_entries,
    settle_redirect,
    state_after,
)
from ingest.scheduling.health import judge
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


def test_a_newer_parser_sends_no_validators_and_parses_again():
    facts = state_after(NEW, read(), now=NOW)

    assert facts.validators_for("parser-1") == VALIDATORS
    assert facts.validators_for("parser-2") is None
    assert facts.has_parsed("hash-1", "parser-1")
    assert not facts.has_parsed("hash-1", "parser-2")
    assert not facts.has_parsed("hash-2", "parser-1")


@pytest.mark.parametrize("result", [unchanged(), NotModified(VALIDATORS)])
def test_the_same_document_again_is_a_success_that_changes_nothing_else(result):
    before = replace(state_after(NEW, read(), now=NOW), ttl=3 * HOUR, fail_score=1.0, failures=3)

    found = state_after(before, result, now=NOW + HOUR)

    assert (found.body_hash, found.parser_version) == ("hash-1", "parser-1")
    assert (found.failures, found.fail_score, found.last_success_at) == (0, 0.25, NOW + HOUR)
    assert found.interval == 3 * HOUR


def test_a_304_brings_new_validators():
    found = after_all(read(), unchanged(validators=Validators(FEED, '"v2"')))

    assert found.validators == Validators(FEED, '"v2"')


def test_a_document_without_validators_forgets_the_old_ones():
    found = after_all(read(), read(validators=None))

    assert found.validators is None
    assert found.interval == 4 * HOUR


@pytest.mark.parametrize(
    "failure", [Failure.TIMEOUT, Failure.NOT_A_FEED, Failure.EMPTY, Failure.BLOCKED]
)
def test_a_failure_keeps_the_validators_of_the_last_document_that_was_read(failure):
    found = after_all(read(), failed(failure, 200))

    assert found.validators == VALIDATORS
    assert (found.body_hash, found.last_success_at) == ("hash-1", NOW)


def test_a_failure_is_stored():
    found = after_all(read(), failed(Failure.NOT_FOUND, 404), failed(Failure.TIMEOUT, None))

    assert (found.failures, found.first_failed_at) == (2, NOW + HOUR)
    assert (found.last_failure, found.last_status) == (Failure.TIMEOUT, None)
    assert (found.fail_score, found.last_attempt_at) == (1.0, NOW + 2 * HOUR)


def test_a_success_forgets_the_failures_and_quarters_the_score():
    found = after_all(*[failed()] * 8, unchanged())

    assert (found.failures, found.first_failed_at, found.fail_score) == (0, None, 1.0)
    assert (found.last_failure, found.last_status, found.retry_after_at) == (None, None, None)


def test_empty_and_blocked_documents_make_one_streak_that_a_success_ends():
    fruitless = [failed(Failure.EMPTY), failed(Failure.TIMEOUT), failed(Failure.BLOCKED)]

    assert after_all(*fruitless).empty_streak == 2
    assert after_all(*fruitless, read()).empty_streak == 0


def test_retry_after_is_kept_and_obeyed():
    found = after_all(failed(Failure.RATE_LIMITED, 429, retry_after=3 * DAY))

    assert found.retry_after_at == NOW + 3 * DAY
    assert found.next_check_at >= found.retry_after_at


def test_the_first_410_is_checked_again_soon_and_the_second_is_believed():
    first = after_all(failed(Failure.GONE, 410))
    second = state_after(first, failed(Failure.GONE, 410), now=first.next_check_at)
    third = state_after(second, failed(Failure.GONE, 410), now=second.next_check_at)

    assert first.next_check_at - NOW <= 2 * HOUR
    for found in (second, third):
        assert 6.9 * DAY <= found.next_check_at - found.last_attempt_at <= 7 * DAY


def test_a_gap_stays_open_until_a_document_closes_it():
    opened = after_all(replace(read(), open_gap=True), unchanged(), failed())

    assert opened.open_gap
    assert opened.interval == 30 * MINUTE
    assert not state_after(opened, read(), now=NOW + 3 * HOUR).open_gap


class TestAPermanentRedirect:
    """Kept only after a second sighting, an hour later at the earliest."""

    SEEN = unchanged(permanent_address=MOVED)

    def test_it_is_noted_when_it_is_first_seen(self):
        found = settle_redirect(NEW, self.SEEN, now=NOW)

        assert (found.feed_url, found.redirect_url) == (FEED, MOVED)
        assert found.redirect_seen_at == NOW

    @pytest.mark.parametrize(
        ("later", "settled"), [(MINUTE, False), (HOUR - MINUTE, False), (HOUR, True), (DAY, True)]
    )
    def test_it_is_believed_an_hour_later(self, later, settled):
        noted = settle_redirect(NEW, self.SEEN, now=NOW)

        found = settle_redirect(noted, self.SEEN, now=NOW + later)

        assert found.feed_url == (MOVED if settled else FEED)
        assert found.redirect_url == (None if settled else MOVED)

    def test_a_sighting_in_between_does_not_start_the_hour_anew(self):
        seen = [self.SEEN] * 3

        assert after_all(*seen, step=30 * MINUTE).feed_url == MOVED

    def test_another_target_starts_anew(self):
        noted = settle_redirect(NEW, self.SEEN, now=NOW)
        elsewhere = unchanged(permanent_address="https://hijack.example/")

        found = settle_redirect(noted, elsewhere, now=NOW + HOUR)

        assert (found.feed_url, found.redirect_seen_at) == (FEED, NOW + HOUR)

    def test_an_answer_without_redirect_forgets_it(self):
        noted = settle_redirect(NEW, self.SEEN, now=NOW)

        found = settle_redirect(noted, unchanged(), now=NOW + HOUR)

        assert (found.feed_url, found.redirect_url, found.redirect_seen_at) == (FEED, None, None)

    def test_a_failure_in_between_says_nothing(self):
        noted = settle_redirect(NEW, self.SEEN, now=NOW)

        assert settle_redirect(noted, failed(), now=NOW + HOUR) == noted

    def test_what_it_leads_to_must_have_been_read(self):
        unreadable = [failed(Failure.NOT_A_FEED, 200)] * 5

        assert after_all(*unreadable).redirect_url is None


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
        verdict = judge(health_facts(facts), now=now)

        assert now < facts.next_check_at <= now + 31 * DAY + HOUR
        assert 0 <= facts.fail_score <= 4
        assert "acme" not in " ".join([*verdict.reasons, verdict.message or ""])
        now = facts.next_check_at
