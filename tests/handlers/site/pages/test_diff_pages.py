"""Diffs to look at: before and after, facts in words, a step to any day, an address for each."""

from datetime import timedelta

import orjson
import pytest

from openapi.vocabulary import Plan
from storage.catalog.sources import ids_of
from storage.entries.diffs import SnapshotRecord, add_diff, add_snapshot

LIST = "/sources/acme.compute/diffs"


def snapshot(at):
    return {
        "snapshotId": "snapshot_1",
        "fetchedAt": at.isoformat(),
        "contentHash": "0" * 64,
        "entryCount": 1,
    }


def edit(before, after, *, facts=(), **fields):
    return {
        "op": "changed",
        "entryId": "a",
        "before": before,
        "after": after,
        "fields": [
            {"path": name, "before": before.get(name), "after": after.get(name), **more}
            for name, more in fields.items()
        ],
        "facts": list(facts),
    }


@pytest.fixture
def store(database, now):
    """Store a diff of acme.compute, found so many days ago; return its id."""
    count = iter(range(1, 1000))

    def store(*changes, days=0, truncated=False):
        at, number = now - timedelta(days=days), next(count)
        stats = {"added": 0, "changed": len(changes), "removed": 0, "rolledOff": 0, "unchanged": 2}
        with database.write() as session:
            source_id = ids_of(session, ["acme.compute"])["acme.compute"]
            record = SnapshotRecord(f"{number:064}", b"x", "rss-1", 1)
            key = add_snapshot(session, source_id, record, now=at)
            document = {
                "id": f"diff_{key - 1}_{key}",
                "before": snapshot(at - timedelta(days=1)),
                "after": snapshot(at),
                "stats": stats,
                "truncated": truncated,
                "changes": list(changes),
            }
            add_diff(session, source_id, document=orjson.dumps(document), now=at)
        return document["id"]

    return store


@pytest.fixture
def reader(ada, set_plan):
    """Somebody who has the Diff API."""
    set_plan(Plan.ALL, diffs_addon=True)
    return ada


TITLE = edit(
    {"title": "Removal in March"},
    {"title": "Removal in June"},
    facts=[{"type": "title_changed", "path": "title", "detail": None}],
    title={
        "spans": [
            {"op": "equal", "text": "Removal in "},
            {"op": "delete", "text": "March"},
            {"op": "insert", "text": "June"},
        ]
    },
)


def test_words_are_struck_through_before_and_underlined_after(reader, store):
    shown = reader.get(f"{LIST}/{store(TITLE)}").text

    assert "Removal in <del>March</del></div>" in shown
    assert "Removal in <ins>June</ins></div>" in shown


@pytest.mark.parametrize(
    "path",
    [
        *(f"{LIST}/{each}" for each in ("diff_1_999", "7", "diff_1_" + "9" * 40, "a" * 101)),
        "/sources/acme.storage/diffs/diff_0_1",
        "/sources/acme.nothing/diffs",
    ],
)
def test_a_diff_that_is_not_there_is_not_found(reader, store, path):
    assert store(TITLE) == "diff_0_1"
    assert reader.get(path).status_code == 404


@pytest.mark.parametrize(
    ("day", "found"),
    [("2026-11-20", "earlier"), ("2020-01-01", "earlier"), ("2030-01-01", "today")],
)
def test_a_day_leads_to_what_the_vendor_said_on_it(reader, store, day, found):
    ids = {"earlier": store(TITLE, days=3), "today": store(TITLE)}

    response = reader.get(f"{LIST}?day={day}")

    assert (response.status_code, response.location) == (303, f"{LIST}/{ids[found]}")
    assert "1 edited" in reader.get(f"{LIST}?day=2026-13-41").text


def test_days_and_neighbours_are_a_step_away(reader, store):
    first, second, third = store(TITLE, days=9), store(TITLE, days=3), store(TITLE)

    shown = reader.get(f"{LIST}/{second}").text

    assert f'rel="prev" href="{LIST}/{first}"' in shown
    assert f'rel="next" href="{LIST}/{third}"' in shown
    assert "Earlier: </span>12 November 2026, " in shown


@pytest.mark.parametrize(("plan", "addon"), [(Plan.STARTER, True), (Plan.ALL, False)])
@pytest.mark.parametrize("path", [LIST, f"{LIST}?day=2026-11-21", f"{LIST}/diff_0_1"])
def test_diffs_are_for_those_who_may_read_them(ada, set_plan, store, plan, addon, path):
    store(TITLE)
    set_plan(plan, diffs_addon=addon)

    response = ada.get(path)

    assert response.status_code == 403
    assert "Diff API add-on" in response.text
    assert "March" not in response.text


def test_a_page_stays_small_whatever_was_changed(reader, store):
    spans = [
        {"op": op, "text": f"{op} {'word ' * 3}{number} "}
        for number in range(4000)
        for op in ("equal", "delete", "insert")
    ]
    long = edit({"summary": "x " * 30_000}, {"summary": "y " * 30_000}, summary={"spans": spans})
    diff_id = store(*[long] * 60)

    first = reader.get(f"{LIST}/{diff_id}")

    assert len(first.data) < 150_000
    assert "more words" in first.text
    assert f"{LIST}/{diff_id}?from=" in first.text


def test_further_changes_follow_and_end(reader, store):
    diff_id = store(*[TITLE] * 60)

    pages = [reader.get(f"{LIST}/{diff_id}?from={start}").text for start in (0, 40, 50)]

    assert ["Further changes" in page for page in pages] == [True, True, False]
    assert reader.get(f"{LIST}/{diff_id}?from=60").status_code == 404
