"""A vendor who does everything vendors do, against a simple model of what must be stored."""

import random
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from specimen.checks import check_now
from sqlalchemy import delete, select

from ingest.pipeline.check import check
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckStatus
from ingest.pipeline.source_state import load_sources
from ingest.pipeline.store import store
from storage.models import Entry, EntryRevision, Source

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


@dataclass
class Item:
    """What the vendor shows of an entry; ``number`` is who it is, whatever it looks like."""

    number: int
    guid: str | None
    title: str

    def written(self):
        guid = "" if self.guid is None else f"<guid isPermaLink='false'>{self.guid}</guid>"
        return (
            f"<item>{guid}<title>{self.title}</title>"
            f"<link>https://acme.example/news/{self.number}</link>"
            f"<pubDate>{START - 9000 * HOUR + self.number * HOUR:%a, %d %b %Y %H:%M:%S} GMT"
            f"</pubDate></item>"
        )


@dataclass
class Stored:
    """What the model says is stored of an entry."""

    external_id: str
    title: str
    revision: int


class CrashInTheTransaction(Exception):
    """The process dies between two statements."""


class Newsroom(RuleBasedStateMachine):
    """The vendor, the ingester and the model."""

    def __init__(self, ingestion, site, source_id):
        super().__init__()
        self.ingestion, self.site, self.source_id = ingestion, site, source_id
        self.items: list[Item] = []  # newest first
        self.window, self.checks, self.guids = 8, 0, 0
        self.model: dict[int, Stored] = {}
        self.order = random.Random(1)
        self.is_shuffled = False

    def shown(self):
        shown = self.items[: self.window]
        if self.is_shuffled:
            self.order.shuffle(shown)
        return shown

    def served(self, status=200):
        shown = self.shown()
        body = "".join(item.written() for item in shown)
        note = f"<lastBuildDate>{self.checks}</lastBuildDate>"
        self.site.reply(
            "/feed",
            status=status,
            body=f"<rss version='2.0'><channel>{note}{body}</channel></rss>".encode(),
        )
        return shown

    def world(self):
        self.checks += 1
        at = START + self.checks * HOUR
        return replace(self.ingestion, now=lambda: at)

    @rule(count=st.integers(1, 5))
    def publish(self, count):
        for _ in range(count):
            number = len(self.items) + 1
            self.items.insert(0, Item(number, f"id-{number}", f"News {number}"))

    @precondition(lambda self: self.items)
    @rule(place=st.integers(0, 7), word=st.sampled_from(["better", "faster", "cheaper"]))
    def edit(self, place, word):
        item = self.items[place % len(self.items)]
        item.title = f"News {item.number}, {word}"

    @precondition(lambda self: self.items)
    @rule(place=st.integers(0, 7))
    def drop_guid(self, place):
        self.items[place % len(self.items)].guid = None

    @precondition(lambda self: self.items)
    @rule(place=st.integers(0, 7))
    def change_guid(self, place):
        self.guids += 1
        self.items[place % len(self.items)].guid = f"new-{self.guids}"

    @rule()
    def change_all_guids(self):
        for item in self.items:
            self.guids += 1
            item.guid = f"new-{self.guids}"

    @rule()
    def reorder(self):
        self.is_shuffled = not self.is_shuffled

    @rule(window=st.integers(3, 12))
    def roll_off_or_bring_back(self, window):
        self.window = window

    @precondition(lambda self: self.items)
    @rule()
    def fetch(self):
        shown = self.served()
        report = check_now(self.world(), self.source_id)
        assert report.status is CheckStatus.FETCHED, report.message
        self.remember(shown)

    @precondition(lambda self: self.items)
    @rule()
    def fetch_twice(self):
        self.fetch()
        self.checks -= 1
        self.served()
        check_now(self.world(), self.source_id)

    @rule(status=st.sampled_from([404, 500, 503]))
    def fail_and_retry_later(self, status):
        self.served(status)
        assert check_now(self.world(), self.source_id).status is CheckStatus.FAILED

    @precondition(lambda self: self.items)
    @rule(after_storing=st.booleans())
    def crash(self, after_storing):
        self.served()
        world = self.world()
        with world.db.read() as session:
            (source,) = load_sources(session, [self.source_id])
        result = check(world, source)
        with pytest.raises(CrashInTheTransaction):
            self.store_and_crash(result, after_storing=after_storing)

    def store_and_crash(self, result, *, after_storing):
        allotment = self.ingestion.pacing.allotment(self.ingestion.db, now=self.ingestion.now())
        with self.ingestion.db.write() as session:
            if after_storing:
                store(session, [result], allotment)
            raise CrashInTheTransaction

    def remember(self, shown):
        with self.ingestion.db.read() as session:
            ids = dict(session.execute(select(Entry.url, Entry.external_id)).all())
        for item in shown:
            known = self.model.get(item.number)
            if known is None:
                external_id = ids[f"https://acme.example/news/{item.number}"]
                self.model[item.number] = Stored(external_id, item.title, 1)
            elif known.title != item.title:
                known.title, known.revision = item.title, known.revision + 1

    @invariant()
    def what_is_stored_is_what_the_model_says(self):
        with self.ingestion.db.read() as session:
            stored = {
                int(entry.url.rpartition("/")[2]): Stored(
                    entry.external_id, entry.title, entry.revision
                )
                for entry in session.scalars(select(Entry))
            }
            entries = session.scalars(select(Entry.id)).all()
            revisions = session.scalars(select(EntryRevision.revision)).all()
            count = session.scalars(select(Source.entry_count)).one()
        assert stored == self.model
        assert len(entries) == len(self.model) == count
        assert len(revisions) == sum(item.revision - 1 for item in self.model.values())


@pytest.fixture
def newsroom(database, make_client, site, parsers, add_source):
    """Make newsrooms, each with a source that nothing is known of."""
    ingestion = Ingestion(database, make_client(), parsers, now=lambda: START)

    def newsroom():
        with database.write() as session:
            session.execute(delete(Source))
        return Newsroom(ingestion, site, add_source())

    return newsroom


def test_whatever_a_vendor_does_entries_stay_who_they_are(newsroom):
    run_state_machine_as_test(
        newsroom,
        settings=settings(
            max_examples=3,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
