"""A follower that keeps one place gets everything exactly once, whatever happens meanwhile.

Vendors publish late, back-dated and in the future, and edit; sources are removed and come back; the
clock goes anywhere; writers fail half-way; the follower dies between reading a page and keeping its
place. Everything that was committed, and not removed before it was read, is then to be found in
what the follower kept: once, in the order it was committed.
"""

import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from itertools import count

import orjson
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import text

from openapi.vocabulary import ChangeKind
from storage.catalog.removal import remove_sources
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import on_postgresql, open_database
from storage.entries.change_log import Readable, read_change_log
from storage.entries.changes import BEGINNING, changes_after
from storage.entries.entry_writes import Edit, known_entries, save_entries

pytestmark = pytest.mark.slow

HOURS = st.integers(-100, 10_000)
WRITERS = 4
TRANSACTIONS = 25


def told(change):
    entry = orjson.loads(change.document)
    if change.kind is not ChangeKind.REMOVED:
        return entry["title"]
    return f"{entry['title'].partition(':')[0]}:{entry['id']}:removed"


class Interrupted(Exception):
    """A process died."""


@pytest.fixture(scope="module")
def shared(new_database_url):
    """One database for all histories; each has sources of its own."""
    database = open_database(new_database_url())
    yield database
    database.close()


def test_a_follower_gets_everything_once_in_the_order_it_was_learned(
    shared, make_row, learned, now
):
    names = count()

    class Following(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.slugs = [f"acme.f{next(names)}" for _ in range(3)]
            with shared.write() as session:
                save_sources(session, [make_row(slug) for slug in self.slugs])
                self.ids = [ids_of(session, [slug])[slug] for slug in self.slugs]
            self.entries = [[], [], []]
            self.committed = []
            self.place, self.titles = BEGINNING, []

        @rule(source=st.integers(0, 2), ages=st.lists(HOURS, max_size=4), clock=HOURS)
        def publish(self, source, ages, clock):
            first = len(self.entries[source])
            new = [
                learned(f"{first + number}", f"{source}:{first + number}:1", hours)
                for number, hours in enumerate(ages)
            ]
            self.store(source, new, [], clock)
            self.entries[source] += [1] * len(new)
            in_order = sorted(
                new, key=lambda entry: (entry.text.published_at, entry.text.external_id)
            )
            self.committed += [entry.text.title for entry in in_order]

        @rule(source=st.integers(0, 2), which=st.integers(0, 9), clock=HOURS)
        def edit(self, source, which, clock):
            if which < len(self.entries[source]):
                title = f"{source}:{which}:{self.entries[source][which] + 1}"
                self.store(source, [], [learned(str(which), title)], clock)
                self.entries[source][which] += 1
                self.committed.append(title)

        @rule(source=st.integers(0, 2), ages=st.lists(HOURS, min_size=1, max_size=3))
        def fail_half_way(self, source, ages):
            new = [learned(f"lost {number}", "lost", hours) for number, hours in enumerate(ages)]
            with suppress(Interrupted), shared.write() as session:
                save_entries(session, self.ids[source], new=new, edited=[], now=now)
                raise Interrupted

        @rule(source=st.integers(0, 2), clock=HOURS)
        def remove_and_add_again(self, source, clock):
            """What was not read yet of its entries is gone; that they are removed comes once."""
            with shared.read() as session:
                stored = known_entries(
                    session,
                    self.ids[source],
                    ids=[str(which) for which in range(len(self.entries[source]))],
                    urls=(),
                )
            in_order = sorted(stored, key=lambda entry: (entry.published_at, entry.external_id))
            with shared.write() as session:
                at = now - timedelta(hours=clock)
                remove_sources(session, [self.ids[source]], now=at)
                save_sources(session, [make_row(self.slugs[source])])
                self.ids[source] = ids_of(session, [self.slugs[source]])[self.slugs[source]]
            read = len(self.titles)
            waiting = [
                title
                for title in self.committed[read:]
                if title.endswith(":removed") or not title.startswith(f"{source}:")
            ]
            removed = [f"{source}:{entry.external_id}:removed" for entry in in_order]
            self.committed = self.committed[:read] + waiting + removed
            self.entries[source] = []

        @rule(limit=st.integers(1, 5), dies=st.booleans())
        def follow(self, limit, dies):
            page = self.read(limit)
            if not dies and page:
                self.titles += map(told, page)
                self.place = page[-1].number

        def store(self, source, new, edited, clock):
            with shared.write() as session:
                stored_entries = {
                    entry.external_id: entry
                    for entry in known_entries(
                        session,
                        self.ids[source],
                        ids=[entry.text.external_id for entry in edited],
                        urls=(),
                    )
                }
                edits = [Edit(stored_entries[entry.text.external_id], entry) for entry in edited]
                at = now - timedelta(hours=clock)
                save_entries(session, self.ids[source], new=new, edited=edits, now=at)

        def read(self, limit):
            with shared.read() as session:
                sources = Readable(frozenset(self.ids), frozenset(self.slugs))
                found = read_change_log(session, self.place, limit=limit, sources=sources)
            return found.changes

        @invariant()
        def what_was_kept_is_the_beginning_of_what_was_committed(self):
            assert self.titles == self.committed[: len(self.titles)]

        def teardown(self):
            while self.read(3):
                self.follow(3, dies=False)
            assert self.titles == self.committed

    run_state_machine_as_test(
        Following,
        settings=settings(
            max_examples=25,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_a_follower_beside_many_writers_gets_everything_once(shared, make_row, learned, now):
    slugs = [f"globex.w{number}" for number in range(WRITERS)]
    with shared.write() as session:
        save_sources(session, [make_row(slug) for slug in slugs])
        ids = ids_of(session, slugs)
    done = threading.Event()

    def write(slug):
        chance = random.Random(slug)
        stored = 0
        for _ in range(TRANSACTIONS):
            new = [learned(f"{stored + n}", f"{slug}:{stored + n}:1") for n in range(3)]
            with shared.write() as session:
                stored_entries = known_entries(session, ids[slug], ids=[f"{stored - 1}"], urls=())
                edits = [
                    Edit(entry, learned(entry.external_id, f"{slug}:{entry.external_id}:2"))
                    for entry in stored_entries
                ]
                at = now + timedelta(seconds=chance.randrange(-1000, 1000))
                save_entries(session, ids[slug], new=new, edited=edits, now=at)
                done.wait(chance.random() / 200)  # between the numbering and the commit
            stored += len(new)

    def follow():
        place, titles, last_round = BEGINNING, [], False
        while True:
            with shared.read() as session:
                page = changes_after(session, place, limit=7, source_ids=ids.values()).changes
            titles += [orjson.loads(change.document)["title"] for change in page]
            if page:
                assert [change.number for change in page] == sorted(
                    {change.number for change in page}
                )
                place = page[-1].number
            elif last_round:
                return titles
            else:
                last_round = done.is_set()

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        follower = pool.submit(follow)
        for future in [pool.submit(write, slug) for slug in slugs]:
            future.result()
        done.set()
        titles = follower.result()

    expected = {f"{slug}:{number}:1" for slug in slugs for number in range(3 * TRANSACTIONS)}
    expected |= {
        f"{slug}:{number}:2" for slug in slugs for number in range(2, 3 * TRANSACTIONS - 3, 3)
    }
    assert len(titles) == len(set(titles))
    assert set(titles) == expected


@pytest.mark.only_on("postgresql")
def test_the_transaction_that_numbers_second_commits_second(shared, make_row, learned, now):
    assert on_postgresql(shared.engine)
    with shared.write() as session:
        save_sources(session, [make_row("initech.one"), make_row("initech.two")])
        ids = ids_of(session, ["initech.one", "initech.two"])

    def store(session, slug):
        new = [learned("1", slug)]
        save_entries(session, ids[slug], new=new, edited=[], now=now)

    def second():
        with shared.write() as session:
            store(session, "initech.two")

    def waiting():
        query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        with shared.read() as session:
            return session.scalar(text(query))

    with ThreadPoolExecutor(1) as pool:
        with shared.write() as session:
            store(session, "initech.one")
            other = pool.submit(second)
            while not waiting():
                assert not other.done()
        other.result()

    with shared.read() as session:
        page = changes_after(session, BEGINNING, limit=9, source_ids=ids.values())
    titles = [orjson.loads(change.document)["title"] for change in page.changes]
    assert titles == ["initech.one", "initech.two"]
