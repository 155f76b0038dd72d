"""The radar of deadlines."""

from dataclasses import replace
from datetime import timedelta

import pytest

from openapi.vocabulary import DeadlineKind, Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.entries.deadline_history import DeadlineRecord
from storage.models import Account
from storage.people.stacks import SavedPart, save_stack


@pytest.fixture
def ends(publish, now):
    """Store an entry with a deadline: ``ends("acme.compute", days=23)``."""

    def ends(slug, days, kind=DeadlineKind.REMOVAL, evidence="The old console is retired."):
        last = now.date() + timedelta(days=days)
        deadline = DeadlineRecord(kind, last, last, evidence)
        publish(slug, deadlines=(deadline,), **{f"end{days}": timedelta(hours=abs(days) + 1)})

    return ends


@pytest.fixture
def run(database, rows):
    """Save a stack "web" with a version of acme.compute."""

    def run(version):
        purl = "pkg:npm/compute"
        with database.write() as session:
            save_packages(session, [SeenPackage("acme.compute", purl, "here")])
            save_stack(session, rows(Account)[0].id, Plan.FREE, "web", {SavedPart(purl, version)})

    return run


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
    assert '<p class="due near">Support ends' in shown
    assert "use instead:</span> 1.31" in shown
    assert ("SUMMARY:End of support: Mail 1.30" in event, "Use instead: 1.31" in event) == (1, 1)


def test_deadlines_are_narrowed_to_a_vendor_and_a_kind(browser, ends):
    ends("acme.compute", 3)
    ends("globex.mail", 4, DeadlineKind.MIGRATION)

    def shown(query):
        page = browser.get(f"/deadlines?{query}").text
        return ("end3" in page, "end4" in page)

    assert shown("vendor=acme") == (True, False)
    assert shown("ends=migration") == (False, True)
    assert shown("vendor=no&ends=nonsense") == (False, False)


def test_deadlines_are_narrowed_to_the_next_days_and_to_what_has_ended(browser, ends):
    for days in (-2, 29, 31, 91):
        ends("acme.compute", days, evidence=f"Removed {days}.")

    def shown(query):
        page = browser.get(f"/deadlines?{query}").text
        return [days for days in (-2, 29, 31, 91) if f"“Removed {days}.”" in page]

    assert (shown("within=30"), shown("within=90"), shown("within=ended")) == ([29], [29, 31], [-2])
    assert shown("within=nonsense") == [29, 31, 91]
    sheet = '<a href="/api/v1/deadlines?from=2026-11-21&amp;to=2026-12-21&amp;format=csv">CSV</a>'
    assert sheet in browser.get("/deadlines?within=30").text


def test_on_a_plan_with_the_whole_catalog_all_are_mine_until_a_list_narrows_them(
    ada, ends, set_plan, select
):
    ends("acme.compute", 3)
    set_plan(Plan.ALL)
    assert "end3" in ada.get("/deadlines?following=1").text

    ada.new_key()
    select("globex.mail")

    assert "end3" not in ada.get("/deadlines?following=1").text


@pytest.mark.parametrize(
    ("query", "way"),
    [
        ("?vendor=acme", '<a href="/subscribe?feed=deadlines&amp;vendor=acme">Calendar</a>'),
        ("?vendor=acme", '<a href="/api/v1/deadlines?vendor=acme">API</a>'),
        ("?following=1", '<a href="/app/filters#feeds">Private feed</a>'),
        ("?following=1", '<a href="/api/v1/deadlines?following=1&amp;format=csv">CSV</a>'),
        ("?stack=web&ends=removal", '<a href="/app/filters?stack=web#feeds">Private feed</a>'),
        (
            "?stack=web&ends=removal",
            '<a href="/api/v1/deadlines?stack=web&amp;ends=removal&amp;from=1970-01-01">API</a>',
        ),
    ],
)
def test_what_is_shown_is_what_is_followed(ada, run, query, way):
    run("2.1")

    assert way in ada.get(f"/deadlines{query}").text


def test_a_user_chooses_between_all_what_they_follow_saved_filters_and_stacks(ada, run):
    run("2.1")
    ada.post("/app/filters", name="Breaking", category="breaking")
    saved = "category=breaking"
    shown = ada.get(f"/deadlines?following=1&{saved}&within=30").text

    for address, name in (
        ("/deadlines?within=30", ">All"),
        ("/deadlines?following=1&amp;within=30", ">Following"),
        (f"/deadlines?following=1&amp;{saved}&amp;within=30", ' aria-current="page">Breaking'),
        ("/deadlines?stack=web&amp;within=30", ">web"),
    ):
        assert f'<a href="{address}"{name}</a>' in shown


def test_a_stack_has_what_ends_of_its_versions_however_long_ago(ada, run, publish, now):
    for days, version in ((-400, "2.1"), (9, "2.1"), (9, "3.0")):
        last = now.date() + timedelta(days=days)
        ends = DeadlineRecord(DeadlineKind.END_OF_LIFE, last, last, "It ends.")
        ends = replace(ends, subject=f"Compute {version}", versions=version)
        publish("acme.compute", deadlines=(ends,), **{f"end of {days} {version}": timedelta(1)})
    run("2.1")

    shown = ada.get("/deadlines?stack=web").text

    assert (shown.count(">Compute 2.1</a>"), shown.count(">Compute 3.0</a>")) == (2, 0)
    assert ada.get("/deadlines?stack=nobodys").status_code == 404


def test_strangers_are_asked_to_sign_in_for_lists_of_their_own(browser):
    assert 'aria-label="Lists"' not in browser.get("/deadlines").text
    for query in ("following=1", "stack=web"):
        assert "/auth/login?next=" in browser.get(f"/deadlines?{query}").headers["location"]
