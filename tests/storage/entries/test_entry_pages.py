"""Pages of entries cost the same however many entries there are (docs/decisions/0006).

Every statement is explained by SQLite: no table is read from end to end, nothing that is not
bounded by the page is sorted.
"""

from datetime import timedelta

import orjson
import pytest
from sqlalchemy import event, text

from storage.catalog.sources import sample_ids
from storage.entries.deadlines import coming_deadlines
from storage.entries.documents import EntryText
from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import (
    newest_feed_entries,
    page_entries,
    page_important,
    page_latest,
)
from storage.entries.entry_writes import EntryRecord, save_entries

HOUR = timedelta(hours=1)
only_on_sqlite = pytest.mark.only_on("sqlite")


@pytest.fixture
def stored(database, catalog, now):
    """Thirty entries of three sources, every third important, some of the future."""
    with database.write() as session:
        for slug in ("acme.s0", "acme.s1", "acme.s2"):
            new = [
                EntryRecord(
                    EntryText(
                        external_id=f"{slug}/{number}",
                        source=slug,
                        vendor="acme",
                        published_at=now - (number - 2) * HOUR,
                        title=f"{slug} {number}",
                        url=None,
                        summary=None,
                        raw={},
                        tags=(),
                    ),
                    "0" * 64,
                    b'{"categories":["security"]}' if number % 3 == 0 else None,
                    1,
                )
                for number in range(10)
            ]
            save_entries(session, catalog[slug], new=new, edited=[], now=now)


@pytest.fixture
def plans(database):
    """Run a question and explain its statements: ``plans(question)``, a list of plans."""

    def plans(question):
        executed = []

        def notice(connection, cursor, statement, parameters, context, executemany):
            executed.append((statement, parameters))

        event.listen(database.engine, "before_cursor_execute", notice)
        with database.read() as session:
            question(session)
        event.remove(database.engine, "before_cursor_execute", notice)
        with database.engine.connect() as connection:
            return [
                [
                    row[3]
                    for row in connection.exec_driver_sql(
                        f"EXPLAIN QUERY PLAN {statement}", parameters
                    )
                ]
                for statement, parameters in executed
                if statement.startswith("SELECT")
            ]

    return plans


def the_latest(session, now, sources):
    page_latest(session, limit=10, offset=5, now=now)


def the_latest_of_the_future_too(session, now, sources):
    page_latest(session, limit=10, offset=5, now=now, future=True)


def the_important_ones(session, now, sources):
    page_important(session, limit=2, offset=1, now=now)


def a_feed_of_the_latest(session, now, sources):
    newest_feed_entries(session, most=10, now=now, only_important=False)


def a_feed_of_the_important_ones(session, now, sources):
    newest_feed_entries(session, most=10, now=now, only_important=True)


def the_next_deadlines(session, now, sources):
    coming_deadlines(session, now=now, most=10)


def some_sources(session, now, sources):
    page_entries(session, sources, limit=10, offset=5)


def some_sources_since_a_time(session, now, sources):
    page_entries(session, sources, EntryFilter(since=now - 100 * HOUR), limit=10, offset=5)


COUNTS = {"SCAN sources", "SCAN entries USING COVERING INDEX ix_entries_unlisted"}
OF_THE_PAGE = ("SCAN anon_", "SCAN (subquery-", "SCAN CONSTANT ROW")


@only_on_sqlite
@pytest.mark.parametrize(
    "question",
    [
        the_latest,
        the_important_ones,
        a_feed_of_the_latest,
        a_feed_of_the_important_ones,
        the_next_deadlines,
        some_sources,
        some_sources_since_a_time,
    ],
)
@pytest.mark.usefixtures("stored")
def test_no_statement_reads_all_entries(plans, catalog, now, question):
    executed_plans = plans(lambda session: question(session, now, frozenset(catalog.values())))

    scans = {step for plan in executed_plans for step in plan if step.startswith("SCAN")}
    assert executed_plans
    assert {scan for scan in scans if not scan.startswith(OF_THE_PAGE)} <= COUNTS


@only_on_sqlite
@pytest.mark.usefixtures("stored")
def test_the_newest_entry_of_all_is_at_the_end_of_an_index(plans, now):
    executed_plans = plans(lambda session: the_latest_of_the_future_too(session, now, frozenset()))

    assert executed_plans[-1] == ["SCAN entries USING INDEX ix_entries_listed"]


@only_on_sqlite
@pytest.mark.parametrize(
    ("question", "index"),
    [
        (the_latest, "ix_entries_listed"),
        (the_important_ones, "ix_entries_listed_important"),
        (a_feed_of_the_latest, "ix_entries_listed"),
        (a_feed_of_the_important_ones, "ix_entries_listed_important"),
        (the_next_deadlines, "ix_entry_deadlines_last_day"),
    ],
)
@pytest.mark.usefixtures("stored")
def test_a_public_page_comes_in_order_from_an_index(plans, now, question, index):
    executed_plans = plans(lambda session: question(session, now, frozenset()))

    steps = [step for plan in executed_plans for step in plan]
    assert any(index in step for step in steps)
    assert not any("TEMP B-TREE" in step for step in steps), steps


@only_on_sqlite
@pytest.mark.usefixtures("stored")
def test_only_what_is_ahead_is_counted(plans, now):
    executed_plans = plans(lambda session: the_latest(session, now, frozenset()))

    counting = "SEARCH entries USING COVERING INDEX ix_entries_listed (published_at>?)"
    assert any(counting in plan for plan in executed_plans)


@only_on_sqlite
@pytest.mark.usefixtures("stored")
def test_entries_that_are_ahead_are_not_searched_for_in_each_large_source(plans, database, now):
    with database.write() as session:
        session.execute(text("ANALYZE"))
        session.execute(text("DELETE FROM sqlite_stat1 WHERE tbl = 'entries'"))
        for index, rows in (("ix_entries_page", "1000 1 1"), ("ix_entries_listed", "2 1 1")):
            statistics = {"index": index, "stat": f"5000000 {rows}"}
            session.execute(
                text("INSERT INTO sqlite_stat1 VALUES ('entries', :index, :stat)"), statistics
            )
    database.engine.dispose()  # statistics are read when a connection is opened

    executed_plans = plans(lambda session: the_latest(session, now, frozenset()))

    assert not any("ANY(source_id)" in step for plan in executed_plans for step in plan)


@only_on_sqlite
@pytest.mark.usefixtures("stored")
def test_some_sources_are_merged_as_they_come_from_their_indexes(plans, catalog, now):
    executed_plans = plans(lambda session: some_sources(session, now, frozenset(catalog.values())))

    page = next(plan for plan in executed_plans if "MERGE (UNION ALL)" in plan)
    assert len([step for step in page if "ix_entries_page (source_id=?)" in step]) == len(catalog)
    assert not any("TEMP B-TREE" in step for step in page)


@only_on_sqlite
def test_the_sample_is_found_by_index(plans, catalog):
    executed_plans = plans(lambda session: sample_ids(session, limit=5))

    assert executed_plans != []
    assert not any(step.startswith("SCAN sources") for plan in executed_plans for step in plan)


@pytest.mark.parametrize("since", [None, timedelta(hours=4)])
@pytest.mark.parametrize("slugs", [["acme.s0"], ["acme.s0", "acme.s2"], ["acme.s3"]])
@pytest.mark.usefixtures("stored")
def test_pages_of_some_sources_are_the_whole_list_in_order(database, catalog, now, slugs, since):
    source_ids = [catalog[slug] for slug in slugs]
    filter_ = EntryFilter(since=None if since is None else now - since)
    with database.read() as session:
        all_entries = page_entries(session, source_ids, filter_, limit=100, offset=0)
        pages = [
            page_entries(session, source_ids, filter_, limit=4, offset=offset)
            for offset in range(0, 28, 4)
        ]

    assert all_entries.total == len(all_entries.documents)
    assert [document for page in pages for document in page.documents] == all_entries.documents
    assert {page.total for page in pages} == {all_entries.total}


def test_no_sources_are_an_empty_page(database):
    with database.read() as session:
        page = page_entries(session, frozenset(), limit=10, offset=0)

    assert (page.total, page.documents) == (0, [])


def test_entries_of_one_moment_come_by_the_code_points_of_their_ids(
    database, catalog, now, learned
):
    ids = ["a-b", "ab", "a.c", "Zb", "_x", "é", "z", "10", "9"]
    with database.write() as session:
        save_entries(
            session,
            catalog["acme.s0"],
            new=[learned(external_id) for external_id in ids],
            edited=[],
            now=now,
        )

    with database.read() as session:
        source_ids = frozenset([catalog["acme.s0"]])
        of_sources = page_entries(session, source_ids, limit=100, offset=0)
        latest = page_latest(session, limit=100, offset=0, now=now)

    for page in (of_sources, latest):
        executed_plans = [orjson.loads(document)["id"] for document in page.documents]
        assert executed_plans == sorted(ids, reverse=True)
