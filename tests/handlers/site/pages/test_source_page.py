"""The page of a source: a year, 90 days, deadlines, and its whole history."""

from datetime import timedelta
from types import SimpleNamespace

import orjson
import pytest
from sqlalchemy import update

from handlers.site.pages.source_page import source_status_words
from handlers.site.words import HealthWords
from openapi.vocabulary import DeadlineKind, Health, Plan
from storage.catalog.sources import ids_of
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.diffs import add_diff
from storage.models import FetchFacts, Gap

PAGE = "/sources/acme.compute"


@pytest.fixture
def source_id(database):
    with database.read() as session:
        return ids_of(session, ["acme.compute"])["acme.compute"]


@pytest.fixture
def tell(show):
    """Store entries of acme.compute: ``tell(("Title", days, "breaking"))``."""

    def tell(*entries, **more):
        for title, days, *categories in entries:
            hours = 24 * days
            show(title, slug="acme.compute", hours=hours, categories=categories, **more)

    return tell


def test_it_can_be_selected_where_the_plan_has_slots(ada, set_plan):
    assert ada.post("/app/sources", page=PAGE, slug="acme.compute").status_code == 201
    assert '<a class="button quiet slim" href="/app/sources">Selected</a>' in ada.get(PAGE).text
    assert '<button class="slim">Select</button>' in ada.get("/sources/acme.mail").text
    set_plan(Plan.ALL)
    assert '<button class="slim">Select</button>' not in ada.get("/sources/acme.mail").text


def test_health_is_said_in_words(pages_with):
    browser = pages_with(judge=lambda item, at: (Health.PROBLEMATIC, "Not read for 9 days."))
    browser.sign_in()
    shown = browser.get(PAGE).text

    assert "Not read for 9 days." in shown
    assert 'class="badge problematic"' in shown


@pytest.mark.parametrize(
    ("plan", "addon", "seen"),
    [(Plan.ALL, False, False), (Plan.STARTER, True, False), (Plan.ALL, True, True)],
)
def test_its_diffs_are_for_accounts_that_have_them(
    ada, set_plan, database, now, source_id, plan, addon, seen
):
    at = {"snapshotId": "1", "fetchedAt": "2026-11-21T11:00:00Z"}
    stats = {"added": 1, "changed": 1, "removed": 0, "rolledOff": 2, "unchanged": 5}
    diff = {"id": "7", "before": at, "after": at, "stats": stats, "truncated": False, "changes": []}
    with database.write() as session:
        add_diff(session, source_id, document=orjson.dumps(diff), now=now)
    set_plan(plan, diffs_addon=addon)
    shown = ada.get(PAGE).text

    assert ("1 edited, 1 added, 2 rolled off" in shown) is seen
    assert ('href="/sources/acme.compute/diffs/7"' in shown) is seen
    assert ("Diff API add-on" in shown) is not seen


def test_no_more_of_an_entry_is_shown_than_the_public_feeds_show(ada, tell):
    tell(("Long", 1), summary="word " * 400)
    assert ada.get(PAGE).text.count("word") <= 100


def test_a_year_is_counted_by_kind_and_week(ada, tell):
    tell(("First", 1), ("Second", 2, "breaking"), ("Third", 40, "security", "deprecation"))

    shown = ada.get(PAGE).text

    assert "3 entries in 12 months" in shown
    assert ("1 breaking" in shown, "1 security" in shown, "1 deprecation" in shown) == (True,) * 3
    assert 'role="img" aria-label="Entries of' in shown
    row = '<th scope="row">16 November 2026</th><td class="num">1</td><td class="num">0</td>'
    assert row in shown


def test_what_lies_before_the_first_entry_and_in_gaps_is_hatched(
    ada, tell, database, now, source_id
):
    tell(("Old", 60), ("New", 1))
    with database.write() as session:
        ends = {"after_at": now - timedelta(days=30), "before_at": now - timedelta(days=29)}
        ids = {"after_id": "a", "before_id": "b", "known": [], "declared_at": now}
        session.add(Gap(source_id=source_id, **ends, **ids))

    shown = ada.get(PAGE).text

    assert "Week of 19 October 2026: no entries; entries may be missing" in shown
    assert "Week of 7 September 2026: no entries; nothing is known from then" in shown
    assert 'fill="url(#activity-hatch)"' in shown


def test_health_of_ninety_days_is_drawn_and_nothing_is_invented(ada, database, now, source_id):
    with database.write() as session:
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.source_id == source_id)
            .values(health_days="hhd", health_days_until=now.date(), next_check_at=None)
        )

    shown = ada.get(PAGE).text

    assert "no record on 87, healthy on 2, degraded on 1" in shown
    assert '<th scope="row">21 November 2026</th><td class="num">degraded</td>' in shown


def source(**facts):
    none = dict.fromkeys(
        ("first_attempt_at", "last_attempt_at", "last_success_at", "next_check_at")
    )
    known = {"failures": 0, "last_failure": None, "open_gap": False, "entries_180d": 9}
    return SimpleNamespace(**{**known, **none, **facts})


UNKNOWN = HealthWords("unknown", "Unknown", "It has not been read yet, or not for a while.")
WELL = HealthWords("ok", "OK", "Read without real trouble.")
FAILING = HealthWords("problematic", "Problematic", "Its address does not exist.")


@pytest.mark.parametrize(
    ("facts", "words", "said"),
    [
        ({}, UNKNOWN, "Never read: nobody has tried yet. It is due now."),
        (
            {"first_attempt_at": -48, "last_attempt_at": -1, "failures": 3, "next_check_at": 5},
            FAILING,
            "Never read. Tried 3 times since 19 November 2026, last 1 hour ago. "
            "Its address does not exist. The next try is due in 5 hours.",
        ),
        ({"last_success_at": -9}, FAILING, "Its address does not exist."),
        ({"last_success_at": -9}, WELL, "Read without real trouble."),
        (
            {
                "last_success_at": -9,
                "last_attempt_at": -1,
                "failures": 1,
                "last_failure": "timeout",
            },
            WELL,
            "Its last check failed, 1 hour ago. The vendor’s server does not answer in time. "
            "It is due now.",
        ),
        (
            {"last_success_at": -9, "open_gap": True},
            WELL,
            "Read without trouble, but entries may have been missed between two checks.",
        ),
        (
            {"last_success_at": -9, "entries_180d": 1},
            WELL,
            "Read without trouble; the vendor publishes seldom: 1 entry in 180 days.",
        ),
    ],
)
def test_reading_is_told_in_plain_words(now, facts, words, said):
    hours = {
        name: now + timedelta(hours=value) if name.endswith("_at") else value
        for name, value in facts.items()
    }

    assert source_status_words(source(**hours), words, now=now) == said


def test_deadlines_stand_on_an_axis_with_their_sentence(ada, tell, now):
    day = now.date() + timedelta(days=23)
    deadline = DeadlineRecord(DeadlineKind.REMOVAL, day, day, "It will be removed.")
    tell(("Removal of the old console", 3, "breaking"), deadlines=[deadline])
    shown = ada.get(PAGE).text

    assert "<strong>14 December 2026</strong>, removal in 23 days" in shown
    assert "It will be removed." in shown
    assert "1 to come, the first in 23 days" in shown


def test_the_history_has_future_and_old_entries_and_is_narrowed_and_paged(ada, tell):
    tell(("Alpha", -1), ("Beta console", 3), ("Gamma", 50, "breaking"))
    tell(*((f"Number {days}", 60 + days) for days in range(1, 40)))

    pages = [ada.get(f"{PAGE}?offset={offset}").text for offset in (0, 40)]
    assert [page.count('class="headline"') for page in pages] == [40, 2]
    assert f'rel="next" href="{PAGE}?offset=40#entries"' in pages[0]
    assert ">Alpha</a>" in pages[0]
    assert ada.get(f"{PAGE}?category=breaking").text.count('class="headline"') == 1
    assert "39 entries" in ada.get(f"{PAGE}?q=number").text
