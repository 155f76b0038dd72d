"""What an account has read: a position, marks, and what bounds them."""

from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from storage.catalog.removal import remove_sources
from storage.entries.entry_filter import EVERYTHING, EntryFilter
from storage.entries.entry_writes import save_entries
from storage.entries.own_pages import entries_ahead, newest_own, unread_entries
from storage.models import Entry, ReadingPosition, ReadMark
from storage.people import unread
from storage.people.unread import (
    EntryKey,
    find_entry_key,
    mark_entries,
    move_position,
    new_moment,
    newest_key,
    read_marks,
    read_state,
    undo_marks,
)

SECOND = timedelta(seconds=1)


@pytest.fixture
def shelf(database, catalog, learned, account, now):
    """An account's entries by name, and what it does with them."""

    class Shelf:
        def store(self, **hours):
            new = [learned(name, name, old) for name, old in hours.items()]
            with database.write() as session:
                save_entries(session, catalog["acme.s0"], new=new, edited=[], now=now)

        def keys(self, *names):
            with database.read() as session:
                found = newest_own(
                    session, EVERYTHING, most=99, now=now + timedelta(days=99)
                ).entries
            by_name = {orjson.loads(entry.public)["id"]: entry for entry in found}
            return [EntryKey(by_name[name].id, by_name[name].published_at) for name in names]

        def unread(self, filter_=EVERYTHING, at=now):
            """The unread ones by the condition of the database, checked one by one besides."""
            with database.read() as session:
                state = read_state(session, account, now=at)
                every = newest_own(session, filter_, most=99, now=at).entries
                marks = read_marks(session, account, [entry.id for entry in every])
                listed = newest_own(
                    session, filter_, most=99, now=at, unread=state.values()
                ).entries
            one_by_one = [
                entry
                for entry in every
                if state.is_unread(EntryKey(entry.id, entry.published_at), marks.get(entry.id))
            ]
            assert listed == one_by_one
            return [
                entry.public.partition(b'"id":"')[2].partition(b'"')[0].decode() for entry in listed
            ]

        def mark(self, *names, unread=False, at=now):
            with database.write() as session:
                mark_entries(session, account, self.keys(*names), unread=unread, now=at)

        def move(self, at=now, to=None):
            with database.write() as session:
                state = read_state(session, account, now=at)
                ahead = [EntryKey(*row) for row in entries_ahead(session, state.read_to, now=at)]
                newest = newest_key(session) if to is None else to
                move_position(session, account, newest, ahead=ahead, now=at)

        def undo(self, at=now):
            with database.write() as session:
                return undo_marks(session, account, at)

    return Shelf()


def test_nothing_is_read_before_it_is_marked(shelf):
    shelf.store(a=1, b=2)

    assert shelf.unread() == ["a", "b"]


def test_one_is_read_and_unread_again(shelf):
    shelf.store(a=1, b=2)

    shelf.mark("a")
    assert shelf.unread() == ["b"]
    shelf.mark("a", unread=True)
    assert shelf.unread() == ["a", "b"]


def test_all_that_is_stored_is_read_and_what_comes_later_is_not_however_old(shelf):
    shelf.store(a=1, b=2)
    shelf.move()
    shelf.store(late=48)

    assert shelf.unread() == ["late"]


def test_a_position_never_goes_back(shelf, database, account, now):
    shelf.store(a=1, b=2)
    shelf.move()
    shelf.move(to=1, at=now + SECOND)

    assert shelf.unread() == []


def test_entries_that_take_the_place_of_removed_ones_are_unread(
    shelf, database, catalog, learned, now
):
    shelf.store(a=1, b=2)
    shelf.move()
    with database.write() as session:
        remove_sources(session, [catalog["acme.s0"]], now=now)
        new = [learned("again", "again", 1)]
        save_entries(session, catalog["acme.s1"], new=new, edited=[], now=now)

    assert shelf.unread() == ["again"]


def test_what_was_marked_unread_is_read_with_all(shelf, now):
    shelf.store(a=1, b=2)
    shelf.move()
    shelf.mark("a", unread=True, at=now + SECOND)
    assert shelf.unread() == ["a"]

    shelf.move(at=now + 2 * SECOND)
    assert shelf.unread() == []


def test_all_is_undone_as_it_was(shelf, now):
    shelf.store(a=1, b=2, c=3)
    shelf.move()
    shelf.store(d=4, e=5)
    shelf.mark("d", at=now + SECOND)
    shelf.mark("a", unread=True, at=now + 2 * SECOND)
    before = shelf.unread()
    shelf.move(at=now + 3 * SECOND)
    assert shelf.unread() == []

    assert shelf.undo(now + 3 * SECOND)
    assert shelf.unread() == before == ["a", "e"]
    assert not shelf.undo(now + 3 * SECOND)


def test_nothing_is_undone_at_another_moment(shelf, now):
    shelf.store(a=1)
    shelf.mark("a")

    assert not shelf.undo(now + SECOND)
    assert shelf.unread() == []


def test_actions_at_the_same_time_are_undone_one_by_one(shelf, database, account, now):
    shelf.store(a=1, b=2)
    first, second = shelf.keys("a", "b")

    def read(entry):
        with database.write() as session:
            at = new_moment(session, account, now=now)
            mark_entries(session, account, [entry], unread=False, now=at)
        return at

    with ThreadPoolExecutor(2) as threads:
        moments = list(threads.map(read, [first, second]))
    with database.write() as session:
        assert undo_marks(session, account, moments[0])

    assert sorted(moments) == [now, now + timedelta(microseconds=1)]
    assert shelf.unread() == ["a"]


def test_an_entry_ahead_of_its_time_stays_unread_when_all_is_read(shelf, now):
    shelf.store(a=1, ahead=-2)
    shelf.move()

    assert shelf.unread() == []
    assert shelf.unread(at=now + timedelta(hours=3)) == ["ahead"]
    shelf.undo()
    assert shelf.unread(at=now + timedelta(hours=3)) == ["ahead", "a"]


def test_what_is_older_than_thirty_days_is_read(shelf, now, database, account):
    shelf.store(old=24 * 31, new=1)

    assert shelf.unread() == ["new"]
    shelf.mark("old", unread=True)
    assert shelf.unread() == ["new"]
    assert shelf.unread(at=now + timedelta(days=31)) == []


def test_marks_that_say_nothing_more_are_dropped(shelf, now, database):
    shelf.store(a=1, b=2)
    shelf.mark("a")
    shelf.mark("b", at=now + timedelta(days=31))

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(ReadMark)) == 0


def test_too_many_marks_make_the_oldest_read(shelf, monkeypatch, database):
    monkeypatch.setattr(unread, "MOST_MARKS", 4)
    monkeypatch.setattr(unread, "_DROPPED_AT_ONCE", 2)
    shelf.store(a=1, b=2, c=3, d=4, e=5, f=6, g=7)
    shelf.mark("a", "b", "c", "d")
    assert shelf.unread() == ["e", "f", "g"]
    shelf.mark("f")

    assert shelf.unread() == []
    shelf.store(h=1.5)
    assert shelf.unread() == ["h"]
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(ReadMark)) == 2
        assert session.scalars(select(ReadingPosition)).one().unread_after is not None


def test_unread_ones_of_a_filter_are_counted_by_their_keys(shelf, database, account, now):
    shelf.store(a=1, b=2, c=3)
    shelf.mark("a")
    filter_ = EntryFilter(since=now - timedelta(hours=2.5))

    with database.read() as session:
        values = read_state(session, account, now=now).values()
        keys = unread_entries(session, filter_, values, most=9, now=now)
    assert keys == [tuple(key) for key in shelf.keys("b")]


def test_an_entry_that_is_not_there_has_no_key(database):
    with database.read() as session:
        assert find_entry_key(session, 5) is None
        assert newest_key(session) == 0


NAMES = "abcdefgh"
STEPS = st.one_of(
    st.tuples(st.just("mark"), st.sets(st.sampled_from(NAMES)), st.booleans()),
    st.tuples(st.just("all"), st.just(set()), st.just(False)),
    st.tuples(st.just("undo"), st.just(set()), st.just(False)),
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=7))
def test_what_is_unread_is_what_the_steps_say(shelf, database, now, steps):
    with database.write() as session:
        for model in (ReadMark, ReadingPosition):
            session.query(model).delete()
    if not shelf.unread():
        shelf.store(**{name: hours + 1 for hours, name in enumerate(NAMES)})
    unread, before, at = set(NAMES), None, now
    for what, names, as_unread in steps:
        at += SECOND
        changed = set(unread)
        if what == "mark":
            turned = names - unread if as_unread else names & unread
            shelf.mark(*turned, unread=as_unread, at=at)
            changed = unread | turned if as_unread else unread - turned
        elif what == "all":
            shelf.move(at=at)
            changed = set()
        elif before is not None:
            shelf.undo(at - SECOND)
            changed, unread = before, None
        before, unread = unread, changed
        assert set(shelf.unread()) == unread


def test_an_entry_that_is_committed_later_has_a_higher_key(database, catalog, learned, now):
    def store(session, name, source):
        save_entries(session, catalog[source], new=[learned(name, name, 1)], edited=[], now=now)

    def store_meanwhile():
        with database.write() as session:
            store(session, "later", "acme.s1")

    with ThreadPoolExecutor(1) as elsewhere:
        with database.write() as session:
            store(session, "first", "acme.s0")
            waits = elsewhere.submit(store_meanwhile)
            assert wait([waits], timeout=0.3).not_done
            store(session, "second", "acme.s0")
        waits.result(timeout=20)
    with database.read() as session:
        by_key = session.scalars(select(Entry.external_id).order_by(Entry.id)).all()

    assert by_key == ["first", "second", "later"]
