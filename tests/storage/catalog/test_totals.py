"""The totals that triggers keep are what counting would find, whoever writes."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select, text, update

from openapi.vocabulary import Health
from storage.catalog.sources import save_sources
from storage.entries.entry_writes import Edit, known_entries, retag_entries, save_entries
from storage.entries.states import catalog_totals, diff_state, feed_state, source_states
from storage.models import CatalogTotals, Entry, EntryChange, FetchFacts, Source

NUMBERS = itertools.count(100)
VERSIONS = (
    "catalog_version",
    "sample_version",
    "document_version",
    "public_version",
    "important_version",
)


def important(record):
    """The same entry, important."""
    return replace(record, importance=b"{}")


@pytest.fixture
def changed(database):
    """Tell which versions a write changes: ``changed(write)``."""

    def changed(write):
        with database.write() as session:
            before = catalog_totals(session)
            write(session)
            session.flush()
            after = catalog_totals(session)
        return {name for name in VERSIONS if getattr(before, name) != getattr(after, name)}

    return changed


@pytest.fixture
def filled(database, catalog, learned, now):
    """Two entries of acme.s0; the second one is important."""
    with database.write() as session:
        new = [learned("1", "plain"), important(learned("2", "important"))]
        save_entries(session, catalog["acme.s0"], new=new, edited=[], now=now)
    return catalog


def count(session):
    """Count what the totals should be."""
    counts = select(func.count(), func.sum(Source.entry_count), func.sum(Source.important_count))
    return tuple(count or 0 for count in session.execute(counts).one())


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["learn", "forget", "add", "set"]), st.integers(0, 5)),
        max_size=20,
    )
)
def test_totals_are_what_counting_finds(database, catalog, learned, row, now, steps):
    for step, number in steps:
        with database.write() as session:
            slug = f"acme.s{number}"
            key = session.scalar(select(Source.id).where(Source.slug == slug))
            if step == "add" or key is None:
                save_sources(session, [row(slug)])
            elif step == "learn":
                new = [learned(f"{next(NUMBERS)}")]
                new = [important(record) for record in new] if number % 2 else new
                save_entries(session, key, new=new, edited=[], now=now)
            elif step == "forget":
                session.execute(delete(Source).where(Source.id == key))
            else:
                counted = update(Source).where(Source.id == key)
                session.execute(counted.values(important_count=number))
            assert tuple(catalog_totals(session)[:3]) == count(session)


def test_a_rolled_back_write_changes_no_version(database, filled, row):
    with database.read() as session:
        before = catalog_totals(session)
    with database.write() as session, session.begin_nested() as savepoint:
        save_sources(session, [row("acme.s9"), row("acme.s0", name="x")])
        savepoint.rollback()

    with database.read() as session:
        assert catalog_totals(session) == before


def test_many_changes_leave_few_rows(database, filled, row):
    for number in range(300):
        with database.write() as session:
            save_sources(session, [row("acme.s0", name=f"name {number}")])

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(CatalogTotals)) < 300
        assert catalog_totals(session).sources == len(filled)


def test_each_write_changes_the_versions_of_what_it_changes(changed, filled, learned, row, now):
    key = filled["acme.s0"]

    def edit(session):
        known = known_entries(session, key, ids=["1"], urls=())
        edited = [Edit(known[0], learned("1", "edited"))]
        save_entries(session, key, new=[], edited=edited, now=now)

    def retag(session):
        retag_entries(session, save_sources(session, [row("acme.s0", tags=("new",))]).retagged)

    def learn(session):
        save_entries(session, key, new=[learned("3", "another")], edited=[], now=now)

    def judge(session):
        found = update(Entry).where(Entry.external_id == "1")
        session.execute(found.values(important=True, importance=b"{1}"))

    assert changed(edit) == set()
    assert changed(learn) == set()
    assert changed(judge) == {"important_version"}
    assert changed(edit) == {"important_version"}
    assert changed(retag) == {
        "catalog_version",
        "document_version",
        "public_version",
        "important_version",
    }
    assert changed(lambda session: save_sources(session, [row("acme.s0", tags=("new",))])) == set()
    assert changed(lambda session: save_sources(session, [row("acme.s9")])) == {
        "catalog_version",
        "sample_version",
    }
    assert changed(
        lambda session: session.execute(update(Source).values(health=Health.DEGRADED))
    ) == {"sample_version"}
    assert changed(lambda session: session.execute(delete(Entry))) >= set(VERSIONS[2:])


def test_what_is_learned_changes_the_state_of_its_source_alone(database, filled, learned, now):
    with database.read() as session:
        before = source_states(session, filled)
        feeds = feed_state(session, now=now)
    with database.write() as session:
        new = [learned("9", "ahead", hours=-3)]
        save_entries(session, filled["acme.s1"], new=new, edited=[], now=now)

    with database.read() as session:
        after = source_states(session, filled)
        feeds_after = feed_state(session, now=now)

    assert {slug for slug in filled if before[slug] != after[slug]} == {"acme.s1"}
    assert (feeds_after.ahead, feeds_after.important_ahead) == (1, 0)
    assert feeds_after.newest > feeds.newest


def test_the_number_of_its_newest_change_is_kept_with_each_source(database, filled, learned, now):
    def write(**written):
        with database.write() as session:
            save_entries(session, filled["acme.s0"], now=now, **{"new": [], "edited": []} | written)
        with database.read() as session:
            newest = func.max(EntryChange.number)
            changes = select(newest).where(EntryChange.source_id == filled["acme.s0"])
            states = source_states(session, filled)
            return states["acme.s0"].newest, session.scalar(changes), states["acme.s1"].newest

    learned_kept, learned_last, _ = write(new=[learned(f"{number}") for number in range(3, 9)])
    with database.read() as session:
        known = known_entries(session, filled["acme.s0"], ids=["1"], urls=())
    edited_kept, edited_last, another = write(edited=[Edit(known[0], learned("1", "edited"))])

    assert learned_kept == learned_last
    assert edited_kept == edited_last > learned_last
    assert another == 0


def test_facts_move_with_what_is_judged_and_with_nothing_else(database, catalog, now):
    def version():
        with database.read() as session:
            return session.get_one(FetchFacts, catalog["acme.s0"]).version

    def write(**values):
        with database.write() as session:
            this = update(FetchFacts).where(FetchFacts.source_id == catalog["acme.s0"])
            session.execute(this.values(**values))
        return version()

    first = version()

    assert write(leased_until=now, etag="x", next_check_at=now) == first
    looked = write(last_attempt_at=now)
    assert looked > first
    assert write(last_attempt_at=now) == looked
    assert write(open_gap=True) > looked


def test_a_source_without_diffs_has_a_state_too(database, catalog):
    with database.read() as session:
        assert diff_state(session, catalog["acme.s0"]) == (0, None, None, None)


@pytest.mark.only_on("sqlite")
def test_sqlite_keeps_one_row(database, filled):
    with database.read() as session:
        assert session.execute(text("SELECT count(*) FROM catalog_totals")).scalar() == 1
