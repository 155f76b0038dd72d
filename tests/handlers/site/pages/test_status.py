"""The status page: shares, 90 days, freshness, and why sources fail."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from handlers.site.pages.status import api_sentence, days_of, percent, status_of
from handlers.site.services import SourceHealth
from handlers.site.words import REASONS
from ingest.fetching.outcomes import Failure
from storage.models import FetchFacts
from storage.scheduling.api_days import ApiDayRecord, add_minute


def reading(now, read=None, newest=None, health="healthy"):
    at = None if read is None else now - timedelta(minutes=read)
    return SourceHealth(health, at, None if newest is None else now - timedelta(minutes=newest))


@pytest.mark.parametrize(
    ("minutes", "troubled", "state"),
    [(None, 0, "starting"), (120, 5, "operational"), (120, 6, "degraded"), (121, 0, "stalled")],
)
def test_the_state_follows_from_the_last_reading_and_the_share_in_trouble(
    now, minutes, troubled, state
):
    well = [reading(now, minutes)] * (100 - troubled)
    sources = well + [reading(now, minutes, health="unknown")] * troubled

    assert status_of(sources, now=now).state == state


def test_only_a_whole_share_is_100_percent():
    assert [percent(share) for share in (1, 0.99999, 0.12345)] == ["100 %", "99.9 %", "12.3 %"]


def test_a_source_counts_from_its_first_recorded_day_on(now):
    records = [" " * 88 + "hd", " " * 89 + "o", "-" * 90]

    days = days_of(records, [], now=now)

    assert [each.reading for each in days[-3:]] == [0.0, 0.5, pytest.approx(1 / 3)]
    assert days[-1].day == now.date()
    assert days_of([], [], now=now)[0].reading is None


def test_a_day_of_the_api_is_what_it_answered_and_how_long_it_ran(now):
    yesterday = now.date() - timedelta(days=1)
    before = now.date() - timedelta(days=3)
    records = [
        ApiDayRecord(before, 720, 720, 10, 0),
        ApiDayRecord(yesterday, 720, 720, 100, 10),
        ApiDayRecord(now.date(), 0, 720, 0, 0),
    ]

    days = days_of([], records, now=now)

    assert [day.api for day in days[-5:]] == [None, 1.0, 0.0, 0.45, 1.0]
    assert api_sentence(days) == (
        "90.9 % of 110 requests without a server error; running 50 % of the time over 4 days."
    )


def test_every_failure_has_words_for_everybody():
    assert REASONS.keys() == {failure.value for failure in Failure}


def test_reasons_are_told_with_counts_and_names_to_who_is_signed_in(
    ada, new_browser, database, now
):
    with database.write() as session:
        facts = {"failures": 2, "last_failure": "timeout", "first_failed_at": now}
        session.execute(update(FetchFacts).where(FetchFacts.source_id <= 3).values(**facts))

    public = new_browser().get("/status").text
    address = ada.get("/status").text.split('<a href="/app/sources?reason=')[1].split('"')[0]

    assert 'Timeout</td><td class="num">3</td>' in public
    assert "acme." not in public
    assert ada.get("/status.json").json["sources"]["failing"] == {"timeout": 3}
    listed = ada.get(f"/app/sources?reason={address}").text
    assert "3 sources whose last check failed" in listed


def test_ninety_days_are_drawn_with_their_numbers(browser, database, now):
    with database.write() as session:
        add_minute(session, requests=1200, failures=3, now=now)
        session.execute(update(FetchFacts).values(health_days="h", health_days_until=now.date()))

    answer = browser.get("/status")

    assert answer.text.count('role="img"') == 3
    assert "99.8 % of 1,200 requests without a server error" in answer.text
    assert '<th scope="row">20 November 2026</th><td class="num">no record</td>' in answer.text
    days = browser.get("/status.json").json["days"]
    assert len(days) == 90
    assert days[-2]["reading"] is days[-2]["api"] is None
    assert (days[-1]["day"], days[-1]["reading"], days[-1]["requests"]) == ("2026-11-21", 1.0, 1200)


def test_sources_are_counted_by_age_and_entries_of_the_future_are_not_the_newest(now):
    ages = [None, 0, 60, 61, 360, 1440, 1441, 10080, 10081]
    newest = [*([None] * 7), -60, 30]
    sources = [reading(now, *each) for each in zip(ages, newest, strict=True)]

    found = status_of(sources, now=now)

    assert (found.read_last_hour, found.read_last_day) == (2, 5)
    assert found.newest_entry_at == now - timedelta(minutes=30)
    assert [*found.freshness.values()] == [2, 2, 1, 2, 1, 1]


def test_programs_get_json_and_browsers_the_page(browser, database, now):
    with database.write() as session:
        session.execute(update(FetchFacts).values(last_success_at=now - timedelta(minutes=9)))

    program = {"Accept": "text/html;q=0.5, application/json"}
    response = browser.get("/status", headers=program)

    assert response.json == browser.get("/status.json").json
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
    for accept in ("*/*", "text/html,application/json;q=0.9"):
        page = browser.get("/status", headers={"Accept": accept})
        assert (page.mimetype, "Accept" in page.vary) == ("text/html", True)
        assert 'badge operational">Operational' in page.text
