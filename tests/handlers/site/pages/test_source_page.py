"""The page of a source: a year, 90 days, deadlines, and its whole history."""

from datetime import timedelta

import orjson
import pytest
from sqlalchemy import update

from openapi.vocabulary import DeadlineKind, Plan
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

    assert ("1 edited, 1 added, 2 no longer listed" in shown) is seen
    assert ('href="/sources/acme.compute/diffs/7"' in shown) is seen
    assert ("Diff API add-on" in shown) is not seen


def test_a_year_and_ninety_days_are_drawn_and_nothing_is_invented(
    ada, tell, database, now, source_id
):
    tell(("Old", 60), ("Second", 2, "breaking"), ("Third", 40, "security", "deprecation"))
    health = update(FetchFacts).where(FetchFacts.source_id == source_id)
    with database.write() as session:
        ends = {"after_at": now - timedelta(days=30), "before_at": now - timedelta(days=29)}
        ids = {"after_id": "a", "before_id": "b", "known": [], "declared_at": now}
        session.add(Gap(source_id=source_id, **ends, **ids))
        session.execute(health.values(health_days="hhd", health_days_until=now.date()))

    shown = ada.get(PAGE).text

    for words in (
        "3 entries in 12 months",
        "1 breaking",
        '<th scope="row">16 November 2026</th><td>1</td><td>0</td>',
        "Week of 12 October 2026: 1 security",
        "Week of 19 October 2026: no entries; entries may be missing",
        "Week of 14 September 2026: no entries; no data",
        "no record on 87, healthy on 2, degraded on 1",
        '<th scope="row">21 November 2026</th><td class="num">degraded</td>',
    ):
        assert words in shown


def test_deadlines_to_come_are_told_of_this_source_alone(ada, tell, show, now):
    day = now.date() + timedelta(days=23)
    deadline = DeadlineRecord(DeadlineKind.REMOVAL, day, day, "It will be removed.")
    tell(("Removal of the old console", 3, "breaking"), deadlines=[deadline])
    show("Another", slug="acme.storage", deadlines=[deadline])

    shown = ada.get(PAGE).text

    assert "1 to come, the first in 23 days" in shown
    assert "It will be removed." in shown


def test_the_history_has_future_and_old_entries_and_is_narrowed_and_paged(ada, tell):
    tell(("Alpha", -1), ("Beta console", 3), ("Gamma", 50, "breaking"))
    tell(*((f"Number {days}", 60 + days) for days in range(1, 40)))

    pages = [ada.get(f"{PAGE}?offset={offset}").text for offset in (0, 28)]
    assert [page.count('class="headline"') for page in pages] == [28, 14]
    assert f'rel="next" href="{PAGE}?offset=28#entries"' in pages[0]
    assert ">Alpha</a>" in pages[0]
    assert ada.get(f"{PAGE}?category=breaking").text.count('class="headline"') == 1
    assert "39 entries" in ada.get(f"{PAGE}?q=number").text


def test_words_are_found_in_the_whole_texts_of_its_history(ada, show):
    show("Alpha", "A long story. " * 100 + "Zebra.", slug="acme.compute")

    assert ada.get(f"{PAGE}?q=zebra").text.count('class="headline"') == 1
