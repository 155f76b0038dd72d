"""The status page: counts, freshness, and a verdict."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from handlers.site.pages.status import status_of
from handlers.site.services import SourceHealth
from storage.models import FetchFacts


def reading(now, read=None, newest=None, health="healthy"):
    at = None if read is None else now - timedelta(minutes=read)
    return SourceHealth(health, at, None if newest is None else now - timedelta(minutes=newest))


@pytest.mark.parametrize(
    ("minutes", "state"), [(0, "operational"), (120, "operational"), (121, "stalled")]
)
def test_two_hours_without_a_reading_are_a_stall(now, minutes, state):
    assert status_of([reading(now, minutes), reading(now, 900)], now=now).state == state


def test_before_the_first_reading_the_service_is_starting(now):
    found = status_of([reading(now), reading(now)], now=now)

    assert (found.state, found.last_read_at, found.total) == ("starting", None, 2)


def test_readings_are_counted_by_age_and_health(now):
    found = status_of(
        [reading(now, 5), reading(now, 60), reading(now, 61, health="ok"), reading(now, 1441)],
        now=now,
    )

    assert (found.read_last_hour, found.read_last_day) == (2, 3)
    assert found.by_health == {
        "healthy": 3,
        "ok": 1,
        "degraded": 0,
        "problematic": 0,
        "unknown": 0,
    }


def test_an_entry_of_the_future_is_not_the_newest(now):
    found = status_of([reading(now, 1, newest=-60), reading(now, 1, newest=30)], now=now)

    assert found.newest_entry_at == now - timedelta(minutes=30)


@pytest.fixture
def read_lately(database, now):
    with database.write() as session:
        session.execute(update(FetchFacts).values(last_success_at=now - timedelta(minutes=9)))


def test_the_page_shows_it_to_people(browser, read_lately):
    shown = browser.get("/status").text

    assert 'badge operational">Operational' in shown
    assert "9 minutes ago" in shown
    assert "18 sources in all" in shown


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/status.json", "*/*"),
        ("/status.json", "text/html"),
        ("/status", "application/json"),
        ("/status", "text/html;q=0.5, application/json"),
    ],
)
def test_programs_get_json(browser, read_lately, path, accept):
    response = browser.get(path, headers={"Accept": accept})

    assert response.json["state"] == "operational"
    assert response.json["sources"] == {
        "total": 18,
        "unconfirmed": 0,
        "health": {"healthy": 18, "ok": 0, "degraded": 0, "problematic": 0, "unknown": 0},
    }
    assert response.json["read"]["last_at"] == "2026-11-21T11:51:00Z"


@pytest.mark.parametrize("accept", ["text/html", "*/*", "text/html,application/json;q=0.9"])
def test_browsers_get_the_page(browser, accept):
    response = browser.get("/status", headers={"Accept": accept})

    assert response.mimetype == "text/html"
    assert "Accept" in response.vary


def test_sources_that_nobody_has_confirmed_are_counted(browser):
    assert browser.get("/status.json").json["sources"]["unconfirmed"] == 18
    assert "the addresses of 18 have never been read and are unconfirmed" in (
        browser.get("/status").text
    )
