"""The radar of deadlines."""

import re
from datetime import timedelta
from html import escape

import pytest

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord


@pytest.fixture
def ends(publish, now):
    """Store an entry with a deadline: ``ends("acme.compute", days=23)``."""

    def ends(slug, days, kind=DeadlineKind.REMOVAL, evidence="The old console is retired."):
        last = now.date() + timedelta(days=days)
        deadline = DeadlineRecord(kind, last, last, evidence)
        publish(slug, deadlines=(deadline,), **{f"end{days}": timedelta(hours=abs(days) + 1)})

    return ends


@pytest.fixture
def run(ada, tool):
    """Save a version of acme.tool in the page's stack."""
    ada.post("/app/stack", part="pkg:github/acme/tool@2.1", page="/app/stack")


def test_a_deadline_is_told_with_its_day_and_the_vendors_sentence(browser, ends, now):
    ends("acme.compute", 23)

    shown = browser.get("/deadlines").text

    assert "in 23 days" in shown
    assert "“The old console is retired.”" in shown
    assert f'datetime="{now.date() + timedelta(days=23)}"' in shown
    assert 'aria-label="A line of the next twelve months with today and 1 deadline' in shown


def test_a_deadline_is_told_by_what_ends_and_what_to_use_instead(browser, publish, now):
    last = now.date() + timedelta(days=23)
    ends = DeadlineRecord(
        DeadlineKind.END_OF_SUPPORT, last, last, "It ends.", subject="Mail 1.30", successor="1.31"
    )
    publish("acme.mail", deadlines=(ends,), news=timedelta(hours=1))

    shown = browser.get("/deadlines").text
    event = browser.get("/deadlines.ics").text

    assert ">Mail 1.30</a>" in shown
    assert '<p class="due near">support ends · <time' in shown
    assert "Use instead: </span>1.31" in shown
    assert ("SUMMARY:End of support: Mail 1.30" in event, "Use instead: 1.31" in event) == (1, 1)


def test_deadlines_are_narrowed_to_a_vendor_a_kind_and_to_days(browser, ends):
    for days in (-2, 29, 91):
        ends("acme.compute", days, evidence=f"Removed {days}.")
    ends("globex.mail", 31, DeadlineKind.MIGRATION, evidence="Removed 31.")

    def shown(query):
        page = browser.get(f"/deadlines?{query}").text
        return [days for days in (-2, 29, 31, 91) if f"“Removed {days}.”" in page]

    assert (shown("vendor=acme"), shown("ends=migration")) == ([29, 91], [31])
    assert (shown("within=30"), shown("within=90"), shown("within=ended")) == ([29], [29, 31], [-2])
    assert '<p class="due far">' in browser.get("/deadlines?within=ended").text
    assert (shown("within=nonsense&ends=x"), shown("vendor=no")) == ([29, 31, 91], [])
    sheet = '<a href="/api/v1/deadlines?from=2026-11-21&amp;to=2026-12-21&amp;format=csv">CSV</a>'
    assert sheet in browser.get("/deadlines?within=30").text


def test_deadlines_are_narrowed_to_what_is_followed(ada, ends, select):
    ends("acme.compute", 3)
    ends("globex.mail", 4)
    select("globex.mail")
    shown = ada.get("/deadlines?following=1").text

    assert ("end3" in shown, "end4" in shown) == (False, True)


@pytest.mark.parametrize(
    ("query", "ways"),
    [
        ("vendor=acme&ends=removal", ["/subscribe?feed=deadlines&amp;*", "/api/v1/deadlines?*"]),
        ("following=1", ["/app/filters#feeds", "/api/v1/deadlines?*&amp;format=csv"]),
        ("stack=1", ["/app/filters?feed=stack%3A1#feeds", "/api/v1/deadlines?*&amp;from="]),
    ],
)
def test_what_is_shown_is_what_is_followed(ada, run, query, ways):
    shown = ada.get(f"/deadlines?{query}").text

    assert [way for way in ways if f'<a href="{way.replace("*", escape(query))}' not in shown] == []


def test_a_user_chooses_between_all_what_they_follow_saved_filters_and_stacks(ada, run):
    ada.post("/app/filters", name="Breaking", category="breaking")
    shown = ada.get("/deadlines?following=1&category=breaking&within=30").text

    for query, name in (
        ("", ">All"),
        ("following=1&amp;", ">Following"),
        ("following=1&amp;category=breaking&amp;", ' aria-current="page">Breaking'),
        ("stack=1&amp;", ">Your stack"),
    ):
        assert f'<a href="/deadlines?{query}within=30"{name}</a>' in shown


def test_a_stack_has_what_ends_of_its_versions_however_long_ago(ada, run, publish, now):
    for days, version in ((-400, "2"), (9, "2.1"), (9, "3.0")):
        last = now.date() + timedelta(days)
        what = {"subject": f"Tool {version}", "versions": version}
        ends = DeadlineRecord(DeadlineKind.END_OF_LIFE, last, last, f"{version} ends", **what)
        publish("acme.tool", deadlines=(ends,), **{version: timedelta(500)})

    shown = ada.get("/deadlines?stack=1").text
    made = ada.post("/app/filters/feeds", page="/app/filters", filter="stack:1").text
    (private,) = re.findall(r"/private/[^<]+\.ics", made)

    assert [f"“{each} ends”" in shown for each in ("2", "2.1", "3.0")] == [True, True, False]
    assert ada.get(private).text.count("BEGIN:VEVENT") == 2
    assert ada.get(private.replace("deadlines.ics", "entries.atom")).status_code == 404
    assert "no saved stack <code>nobodys<" in ada.get("/deadlines?stack=nobodys").text


def test_strangers_are_asked_to_sign_in_for_lists_of_their_own(browser):
    assert "/auth/login?next=" in browser.get("/deadlines?stack=1").headers["location"]
