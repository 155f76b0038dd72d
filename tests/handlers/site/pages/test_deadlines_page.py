"""The radar of deadlines."""

from datetime import date, timedelta

import pytest

from handlers.site.pages.deadlines import counts_by_month, months_of, radar
from handlers.site.radar import RadarDeadline
from openapi.vocabulary import DeadlineKind, Plan
from storage.entries.deadline_history import DeadlineRecord

TODAY = date(2026, 11, 23)


def removal(day):
    """Return a deadline of acme.compute."""
    day = date.fromisoformat(day)
    path, names = "/e/acme.compute/1", ("acme.compute", "Acme Compute", "acme")
    return RadarDeadline(
        DeadlineKind.REMOVAL, path, "Old API", *names, day, day, "It goes.", (), path
    )


@pytest.fixture
def ends(publish, now):
    """Store an entry with a deadline: ``ends("acme.compute", days=23)``."""

    def ends(slug, days, kind=DeadlineKind.REMOVAL, evidence="The old console is retired."):
        last = now.date() + timedelta(days=days)
        deadline = DeadlineRecord(kind, last, last, evidence)
        publish(slug, deadlines=(deadline,), **{f"end{days}": timedelta(hours=days + 1)})

    return ends


def test_a_deadline_is_told_with_its_day_and_the_vendors_sentence(browser, ends, now):
    ends("acme.compute", 23)

    shown = browser.get("/deadlines").text

    assert "in 23 days" in shown
    assert "“The old console is retired.”" in shown
    assert f'datetime="{now.date() + timedelta(days=23)}"' in shown
    assert 'aria-label="A line of the next twelve months with today and 1 deadline' in shown


def test_what_has_passed_is_not_shown(browser, ends):
    ends("acme.compute", -2)

    assert "No deadline is known yet" in browser.get("/deadlines").text


def test_deadlines_are_narrowed_to_a_vendor_and_a_kind(browser, ends):
    ends("acme.compute", 3)
    ends("globex.mail", 4, DeadlineKind.MIGRATION)

    def shown(query):
        page = browser.get(f"/deadlines?{query}").text
        return ("end3" in page, "end4" in page)

    assert shown("vendor=acme") == (True, False)
    assert shown("kind=migration") == (False, True)
    assert shown("vendor=no&kind=nonsense") == (False, False)


def test_mine_are_those_of_the_selection(ada, ends):
    ends("acme.compute", 3)
    ada.new_key()

    assert "Nothing that you selected ends soon" in ada.get("/deadlines?mine=1").text
    assert "end3" in ada.get("/deadlines").text


def test_on_a_plan_with_the_whole_catalog_all_are_mine_until_a_list_narrows_them(
    ada, ends, set_plan, select
):
    ends("acme.compute", 3)
    set_plan(Plan.ALL)
    assert "end3" in ada.get("/deadlines?mine=1").text

    ada.new_key()
    select("globex.mail")

    assert "end3" not in ada.get("/deadlines?mine=1").text


@pytest.mark.parametrize(
    ("query", "way"),
    [
        ("", '<a href="/deadlines.ics">Calendar</a>'),
        ("?vendor=acme", '<a href="/deadlines.ics?vendor=acme">Calendar</a>'),
        ("?vendor=acme", '<a href="/api/v1/deadlines?vendor=acme">API</a>'),
        ("?mine=1", '<a href="/app/filters#feeds">Private calendar</a>'),
    ],
)
def test_what_is_shown_is_what_is_followed(ada, query, way):
    assert way in ada.get(f"/deadlines{query}").text


def test_strangers_are_not_offered_mine(browser, ends):
    ends("acme.compute", 3)

    shown = browser.get("/deadlines?mine=1").text

    assert ("Mine only" in shown, "end3" in shown) == (False, True)


def test_deadlines_are_grouped_and_counted_by_month():
    days = ["2026-12-16", "2026-12-30", "2027-01-02", "2029-01-01"]
    deadlines = [removal(day) for day in days]

    assert [(month, len(of_month)) for month, of_month in months_of(deadlines)] == [
        ("December 2026", 2),
        ("January 2027", 1),
        ("January 2029", 1),
    ]
    assert counts_by_month(deadlines, today=TODAY) == [
        ("December 2026", 2, 0, 0),
        ("January 2027", 1, 0, 0),
    ]
    assert len(radar(deadlines, today=TODAY).marks) == 3
