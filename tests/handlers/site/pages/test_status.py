"""The status page: shares, 90 days, freshness, and why sources fail."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from handlers.site.pages.status_drawings import REASONS
from handlers.site.pages.status_figures import (
    api_sentence,
    api_shares,
    percent,
    reading_sentence,
    reading_shares,
    sentence_of,
    sentence_of_sweep,
    status_of,
)
from handlers.site.services import SourceHealth
from ingest.fetching.outcomes import Failure
from storage.models import FetchFacts
from storage.scheduling.api_days import ApiDayRecord, add_minute


def reading(now, read=None, newest=None, health="healthy"):
    at = None if read is None else now - timedelta(minutes=read)
    return SourceHealth(health, at, None if newest is None else now - timedelta(minutes=newest))


@pytest.mark.parametrize(
    ("minutes", "state"), [(0, "operational"), (120, "operational"), (121, "stalled")]
)
def test_two_hours_without_a_reading_are_a_stall(now, minutes, state):
    assert status_of([reading(now, minutes), reading(now, 900)], now=now).state == state


@pytest.mark.parametrize(
    ("troubled", "state"), [(0, "operational"), (5, "operational"), (6, "degraded")]
)
@pytest.mark.parametrize("health", ["degraded", "problematic", "unknown"])
def test_the_service_is_operational_while_nearly_all_are_read_as_they_should(
    now, troubled, state, health
):
    sources = [reading(now, 5)] * (100 - troubled) + [reading(now, 5, health=health)] * troubled

    assert status_of(sources, now=now).state == state


@pytest.mark.parametrize(
    ("sources", "until", "sentence"),
    [
        (0, None, None),
        (
            1200,
            datetime(2026, 11, 24, 14, 5, tzinfo=UTC),
            "First sweep: 1,200 sources were not requested yet, the last of them at about "
            "14:05 UTC.",
        ),
    ],
)
def test_the_first_sweep_says_when_it_ends(sources, until, sentence):
    assert sentence_of_sweep(sources, until) == sentence


def test_the_sentence_is_made_of_shares(now):
    sources = [
        *[reading(now, 5)] * 5173,
        *[reading(now, 5, health="degraded")] * 78,
        *[reading(now, health="unknown")] * 993,
    ]

    assert sentence_of(status_of(sources, now=now)) == (
        "82.8 % of 6,244 sources are read as they should be. "
        "78 with trouble lately, 993 of unknown health."
    )


@pytest.mark.parametrize(
    ("share", "words"), [(1, "100 %"), (0.99999, "99.9 %"), (0.5, "50 %"), (0.12345, "12.3 %")]
)
def test_only_a_whole_share_is_100_percent(share, words):
    assert percent(share) == words


def test_a_source_counts_from_its_first_recorded_day_on(now):
    records = [" " * 88 + "hd", " " * 89 + "o", "-" * 90]

    days = reading_shares(records, today=now.date())

    assert [share for _, share in days[-3:]] == [0.0, 0.5, pytest.approx(1 / 3)]
    assert days[-1][0] == now.date()
    assert reading_shares([], today=now.date())[0][1] is None


def test_a_day_of_the_api_is_what_it_answered_and_how_long_it_ran(now):
    yesterday = now.date() - timedelta(days=1)
    before = now.date() - timedelta(days=3)
    records = [
        ApiDayRecord(before, 720, 720, 10, 0),
        ApiDayRecord(yesterday, 720, 720, 100, 10),
        ApiDayRecord(now.date(), 0, 720, 0, 0),
    ]

    days = api_shares(records, now=now)

    assert [day.share for day in days[-5:]] == [None, 1.0, 0.0, 0.45, 1.0]
    assert api_sentence(days) == (
        "90.9 % of 110 requests answered without a fault of ours; "
        "running in 50 % of the minutes of 4 days."
    )


def test_without_a_record_nothing_is_said(now):
    assert api_sentence(api_shares([], now=now)) == "Nothing is recorded yet."
    assert reading_sentence(reading_shares([], today=now.date())) == "Nothing is recorded yet."


def test_every_failure_has_words_for_everybody():
    assert REASONS.keys() == {failure.value for failure in Failure}


@pytest.fixture
def failing(database, now):
    with database.write() as session:
        facts = {"failures": 2, "last_failure": "timeout", "first_failed_at": now}
        session.execute(update(FetchFacts).where(FetchFacts.source_id <= 3).values(**facts))


def test_reasons_are_told_with_counts_and_no_names(browser, failing):
    shown = browser.get("/status").text

    assert 'does not answer in time</td><td class="num">3</td>' in shown
    assert "acme." not in shown
    assert browser.get("/status.json").json["sources"]["failing"] == {"timeout": 3}


def test_who_is_signed_in_is_led_to_the_names(ada, failing):
    shown = ada.get("/status").text
    address = shown.split('<a href="/app/sources?reason=')[1].split('"')[0]

    listed = ada.get(f"/app/sources?reason={address}").text

    assert "3 sources whose last check failed" in listed


def test_ninety_days_are_drawn_with_their_numbers(browser, database, now):
    with database.write() as session:
        add_minute(session, requests=1200, failures=3, now=now)
        session.execute(update(FetchFacts).values(health_days="h", health_days_until=now.date()))

    answer = browser.get("/status")

    assert answer.text.count('role="img"') == 3
    assert "99.8 % of 1,200 requests answered without a fault of ours" in answer.text
    assert '<th scope="row">20 November 2026</th><td class="num">no record</td>' in answer.text
    assert len(answer.data) < 150_000
    days = browser.get("/status.json").json["days"]
    assert len(days) == 90
    assert days[-2]["reading"] is days[-2]["api"] is None
    assert (days[-1]["day"], days[-1]["reading"], days[-1]["requests"]) == ("2026-11-21", 1.0, 1200)


def test_before_the_first_reading_the_service_is_starting(now):
    found = status_of([reading(now), reading(now)], now=now)

    assert (found.state, found.last_read_at, found.total) == ("starting", None, 2)


def test_sources_are_counted_by_age_and_health(now):
    ages = [None, 0, 60, 61, 360, 1440, 1441, 10080, 10081]
    found = status_of([*(reading(now, age) for age in ages), reading(now, 5, health="ok")], now=now)

    assert (found.read_last_hour, found.read_last_day) == (3, 6)
    assert found.by_health == {
        "healthy": 9,
        "ok": 1,
        "degraded": 0,
        "problematic": 0,
        "unknown": 0,
    }
    assert found.freshness == {
        "hour": 3,
        "six_hours": 2,
        "day": 1,
        "week": 2,
        "older": 1,
        "never": 1,
    }


def test_an_entry_of_the_future_is_not_the_newest(now):
    found = status_of([reading(now, 1, newest=-60), reading(now, 1, newest=30)], now=now)

    assert found.newest_entry_at == now - timedelta(minutes=30)


@pytest.fixture
def read_lately(database, now):
    with database.write() as session:
        session.execute(update(FetchFacts).values(last_success_at=now - timedelta(minutes=9)))


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/status.json", "*/*"),
        ("/status", "text/html;q=0.5, application/json"),
    ],
)
def test_programs_get_json(browser, read_lately, path, accept):
    response = browser.get(path, headers={"Accept": accept})

    assert response.json["state"] == "operational"
    assert response.json["sources"] == {
        "total": 18,
        "unconfirmed": 0,
        "never_read": 0,
        "read_as_planned": 1.0,
        "failing": {},
        "health": {"healthy": 18, "ok": 0, "degraded": 0, "problematic": 0, "unknown": 0},
    }
    assert response.json["read"]["last_at"] == "2026-11-21T11:51:00Z"
    assert response.json["first_sweep"] == {"sources_to_go": 18, "expected_end_at": None}


@pytest.mark.parametrize("accept", ["*/*", "text/html,application/json;q=0.9"])
def test_browsers_get_the_page(browser, read_lately, accept):
    response = browser.get("/status", headers={"Accept": accept})

    assert response.mimetype == "text/html"
    assert 'badge operational">Operational' in response.text
    assert "9 minutes ago" in response.text
    assert "Accept" in response.vary


def test_sources_that_nobody_has_confirmed_are_counted(browser):
    assert browser.get("/status.json").json["sources"]["unconfirmed"] == 18
    assert "the addresses of 18 have never been read and are unconfirmed" in (
        browser.get("/status").text
    )
