"""What an operator's bound of history drops, and what it leaves (docs/decisions/0236)."""

import threading
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from filling import catalog_row
from specimen.checks import check_now
from sqlalchemy import select

import ingest.workers.retention
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.retention import drop_old_history, keep_history
from storage.catalog.sources import save_sources
from storage.entries.change_log import read_change_log
from storage.entries.changes import BEGINNING
from storage.entries.diffs import newest_diffs
from storage.models import Diff, EntryRevision, Snapshot, SnapshotBody, Source

DAY = timedelta(days=1)
YEAR = 365 * DAY
LAST = 50
"""The day of the last check; there is one every other day, and each finds the title edited."""


def feed(day, title=""):
    """A feed of two entries: the title of one is another each day."""
    item = (
        "<item><guid isPermaLink='false'>{0}</guid><title>{1}</title>"
        "<link>https://acme.example/{0}</link>"
        "<pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate></item>"
    )
    items = item.format("1", title or f"Day {day}") + item.format("2", "The same")
    return f"<rss version='2.0'><channel><title>Acme</title>{items}</channel></rss>".encode()


@pytest.fixture
def source_id(database, site):
    """The id of a source at ``/feed``."""
    row = catalog_row("acme.mail", feed_url=site.url("/feed"))
    with database.write() as session:
        save_sources(session, [row])
        return session.scalars(select(Source.id)).one()


@pytest.fixture
def check(database, site, source_id, make_client, parsers, now):
    """Check the source on a day, when its feed is this: ``check(day, document)``."""
    ingestion = Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: now)

    def check(day, document):
        site.reply("/feed", body=document)
        return check_now(replace(ingestion, now=lambda: now + day * DAY), source_id)

    return check


@pytest.fixture
def edited(check):
    """Check the source on 26 days."""
    for day in range(0, LAST + 1, 2):
        check(day, feed(day))


def titles_of_changes(database):
    """The revisions that a follower gets from the beginning, with their numbers and kinds."""
    with database.read() as session:
        page = read_change_log(session, BEGINNING, limit=200, sources=None)
    changes = [(change.number, change.kind.value) for change in page.changes]
    return changes, [orjson.loads(change.document)["title"] for change in page.changes]


def dropped(database, now, *, kept=30, day=LAST):
    at = now + day * DAY
    return drop_old_history(database, threading.Event(), kept_for=kept * DAY, now=at)


@pytest.mark.usefixtures("edited")
def test_what_is_older_goes_and_the_newest_twenty_diffs_stay_however_old(database, rows, now):
    assert (len(rows(Snapshot)), len(rows(Diff)), len(rows(EntryRevision))) == (26, 25, 25)

    assert dropped(database, now) == {"snapshots": 10, "diffs": 5, "revisions": 9}
    assert min(row.fetched_at for row in rows(Snapshot)) == now + 20 * DAY
    assert min(row.fetched_at for row in rows(Diff)) == now + 12 * DAY
    assert min(row.replaced_at for row in rows(EntryRevision)) == now + 20 * DAY

    assert dropped(database, now, day=LAST + 365) == {"snapshots": 15, "revisions": 16}
    assert (len(rows(Snapshot)), len(rows(SnapshotBody)), len(rows(Diff))) == (1, 1, 20)
    assert not dropped(database, now, day=LAST + 365)


@pytest.mark.usefixtures("edited")
def test_followers_get_the_same_changes_and_the_text_of_today_in_place_of_old_ones(database, now):
    before, _ = titles_of_changes(database)
    dropped(database, now)
    after, titles = titles_of_changes(database)

    assert after == before
    assert titles[:2] == ["Day 50", "The same"]  # of the first check
    assert titles[2:] == ["Day 50"] * 8 + [f"Day {day}" for day in range(18, 51, 2)]


@pytest.mark.usefixtures("edited")
def test_checks_go_on_as_before(database, source_id, check, rows, now):
    dropped(database, now + 9 * YEAR)

    assert (check(LAST + 1, feed(LAST)).new, len(rows(Diff))) == (0, 20)
    report = check(LAST + 2, feed(0, "Edited again"))

    assert (report.new, report.edited) == (0, 1)
    with database.read() as session:
        newest = orjson.loads(newest_diffs(session, source_id).documents[0])
    assert newest["changes"][0]["before"]["title"] == "Day 50"
    assert newest["before"]["snapshotId"] == f"snapshot_{max(row.id for row in rows(Snapshot)) - 1}"


@pytest.mark.usefixtures("edited")
def test_what_is_too_much_for_one_transaction_goes_in_several(database, now, monkeypatch):
    monkeypatch.setattr(ingest.workers.retention, "AT_ONCE", 2)
    monkeypatch.setattr(ingest.workers.retention, "PAUSE_SECONDS", 0)

    assert dropped(database, now) == {"snapshots": 10, "diffs": 5, "revisions": 9}


def test_a_worker_drops_when_it_starts_and_then_once_a_day(database, rows, edited, now):
    stop, waits, left = threading.Event(), [], []

    class Days:
        """An event whose waits last no time; it is set behind the third day."""

        is_set = stop.is_set

        def wait(self, seconds):
            if seconds > 60:
                waits.append(seconds)
                left.append(len(rows(EntryRevision)))
            if len(waits) == 3:
                stop.set()

    def at():
        return now + (LAST + len(waits)) * DAY

    keep_history(database, Days(), kept_for=30 * DAY, now=at)

    assert waits == [86_400.0] * 3
    assert left == [16, 15, 15]
