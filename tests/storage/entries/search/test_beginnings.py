"""The words of the index that begin as a search says."""

import pytest

from storage.entries.entry_filter import EntryFilter
from storage.entries.entry_pages import find_feed_entries
from storage.entries.search import beginnings
from storage.entries.search.beginnings import MOST_WORDS, endings
from storage.entries.search.index import SIGNS
from storage.entries.search.matching import Scope
from storage.entries.search.query import parse_query

WORDS = "deploy deployed deployment deport dependable"


@pytest.fixture
def known(database):
    """Return the words of the index that a query means: ``known("depl*")``."""

    def known(query):
        with database.read() as session:
            return endings(session, parse_query(query).terms, SIGNS[Scope.PUBLIC])

    return known


@pytest.fixture
def found(database, now):
    """Return how many entries a query finds."""

    def found(query):
        filter_ = EntryFilter(q=query)
        with database.read() as session:
            return find_feed_entries(session, filter_, limit=9, offset=0, now=now)[0]

    return found


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("depl*", {"tdepl": ["tdeploy", "tdeployed", "tdeployment"], "pdepl": []}),
        ("deployment*", {"tdeployment": ["tdeployment"], "pdeployment": []}),
        ("zebra*", {"tzebra": [], "pzebra": []}),
        ("depl* -depo*", {"tdepl": 3, "pdepl": 0, "tdepo": 1, "pdepo": 0}),
        ("deploy", {}),
    ],
)
def test_the_words_that_begin_so_are_known_on_sqlite(
    database, store, make_entry, known, query, words
):
    store(make_entry(1, WORDS))

    expected = words if database.engine.dialect.name == "sqlite" else {}
    told = known(query)

    assert told.keys() == expected.keys()
    for word, meant in expected.items():
        assert (len(told[word]) if isinstance(meant, int) else told[word]) == meant


@pytest.mark.parametrize(("query", "count"), [("dep*", 2), ("dep* -deport*", 1), ("zeb*", 0)])
@pytest.mark.parametrize("most", [1, MOST_WORDS])
def test_the_same_is_found_whether_the_words_are_few_or_many(
    store, make_entry, found, monkeypatch, query, count, most
):
    monkeypatch.setattr(beginnings, "MOST_WORDS", most)
    store(make_entry(1, WORDS), make_entry(2, "deposit"), make_entry(3, "other"))

    assert found(query) == count
