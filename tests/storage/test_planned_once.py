"""SQLite plans a statement when it is first asked, and not for each execution.

It would where it looks at a value that the plan depends on: that of a bare LIMIT, and any value
once there are statistics.
"""

from datetime import timedelta

import pytest

from storage.archive import WrittenEntry, newest_entries, publish_times, save_entries
from storage.changes import changes_after
from storage.documents import EntryText
from storage.entries import (
    EntryFilter,
    newest_for_readers,
    page_entries,
    page_important,
    page_latest,
)
from storage.items import item_rows, page_states
from storage.keys import account_choices, find_live_key
from storage.sources import SourceFilter, page_sources
from storage.states import feed_state, source_states

pytestmark = pytest.mark.only_on("sqlite")


@pytest.fixture
def ids(database, catalog, now):
    """Three sources with an important entry each: pages that are empty ask less."""
    sources = sorted(catalog.items())[:3]
    with database.write() as session:
        for slug, source_id in sources:
            text = EntryText(slug, slug, "acme", now, "Title", None, None, {}, ())
            new = [WrittenEntry(text, "0" * 64, b'{"categories":["security"]}', 1)]
            save_entries(session, source_id, new=new, edited=[], now=now)
    return [source_id for _, source_id in sources]


def three_sources(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids)), limit=50, offset=0)


def three_sources_since_a_time(session, ids, now):
    page_entries(session, EntryFilter(frozenset(ids), now - timedelta(days=1)), limit=50, offset=0)


def the_latest(session, ids, now):
    page_latest(session, limit=50, offset=0, now=now)


def the_important_ones(session, ids, now):
    page_important(session, limit=50, offset=0, now=now)


def a_feed(session, ids, now):
    newest_for_readers(session, most=50, now=now, only_important=False)


def a_page_of_sources(session, ids, now):
    page_sources(session, SourceFilter(), limit=50, offset=0, now=now)


def the_states_of_a_page_of_sources(session, ids, now):
    page_states(session, SourceFilter(), everything=5, limit=50, offset=0)


def the_items_of_a_page(session, ids, now):
    item_rows(session, ids, now=now)


def the_states_of_three_sources(session, ids, now):
    source_states(session, ["acme.s0", "acme.s1", "acme.s2"])


def the_state_of_the_feeds(session, ids, now):
    feed_state(session, now=now)


def a_key(session, ids, now):
    find_live_key(session, "cw_000000000000_00000000000000000000000000000000000000", now=now)
    account_choices(session, 1, now=now)


def what_three_sources_did(session, ids, now):
    changes_after(session, 0, limit=50, source_ids=ids)


def what_is_new_to_a_source(session, ids, now):
    newest_entries(session, ids[0], most=100)
    publish_times(session, ids[0])


@pytest.mark.parametrize(
    "question",
    [
        three_sources,
        three_sources_since_a_time,
        the_latest,
        the_important_ones,
        a_feed,
        a_page_of_sources,
        the_states_of_a_page_of_sources,
        the_items_of_a_page,
        the_states_of_three_sources,
        the_state_of_the_feeds,
        a_key,
        what_three_sources_did,
        what_is_new_to_a_source,
    ],
)
def test_what_is_asked_again_is_not_planned_again(database, ids, now, question):
    planned = []

    def authorize(*what):
        planned.append(what)
        return 0

    with database.read() as session:
        handle = session.connection().connection.driver_connection
        handle.set_authorizer(authorize)  # SQLite asks it whenever it plans
        question(session, ids, now)
        once = len(planned)
        question(session, ids, now)
        handle.set_authorizer(None)

    assert len(planned) == once
