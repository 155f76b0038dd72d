"""Diffs as /diffs asks for them."""

from datetime import timedelta

import pytest

from storage.entries.diffs import NEWEST, add_diff, newest_diffs


@pytest.fixture
def diffs_of(database, now):
    """Store diffs of a source, numbered from 0, oldest first."""

    def diffs_of(source_id, count):
        with database.write() as session:
            for number in range(count):
                at = now + timedelta(hours=number)
                add_diff(session, source_id, document=b'{"number":%d}' % number, now=at)

    return diffs_of


def test_the_newest_diffs_come_first_and_all_are_counted(database, catalog, diffs_of):
    diffs_of(catalog["acme.s0"], NEWEST + 3)

    with database.read() as session:
        page = newest_diffs(session, catalog["acme.s0"])

    assert (page.total, len(page.documents)) == (NEWEST + 3, NEWEST)
    assert (page.documents[0], page.documents[-1]) == (b'{"number":22}', b'{"number":3}')


def test_another_source_has_diffs_of_its_own(database, catalog, diffs_of):
    diffs_of(catalog["acme.s0"], 2)

    with database.read() as session:
        page = newest_diffs(session, catalog["acme.s1"])

    assert (page.total, page.documents) == (0, [])
