"""The states of sources are read a hundred at a time."""

import pytest

from storage.catalog.sources import save_sources
from storage.entries.states import MOST_SOURCES, source_states


@pytest.fixture
def slugs(database, row):
    """One source more than may be asked for at once."""
    slugs = [f"acme.s{number}" for number in range(MOST_SOURCES + 1)]
    with database.write() as session:
        save_sources(session, [row(slug) for slug in slugs])
    return slugs


def test_as_many_sources_as_a_request_may_name_are_read_at_once(database, slugs):
    distinct = slugs[:MOST_SOURCES]

    with database.read() as session:
        states = source_states(session, [*distinct, *distinct])

    assert states.keys() == set(distinct)


def test_one_source_more_is_refused_and_not_left_out(database, slugs):
    with database.read() as session, pytest.raises(ValueError, match="101 sources"):
        source_states(session, slugs)


def test_a_source_that_is_not_in_the_catalog_has_no_state(database, slugs):
    with database.read() as session:
        assert source_states(session, ["acme.s0", "acme.nonsense"]).keys() == {"acme.s0"}
