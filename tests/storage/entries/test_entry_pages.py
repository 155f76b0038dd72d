"""Pages of the entries of some sources, and the order of entries of one moment."""

from datetime import timedelta

import orjson
import pytest

from storage.entries.entry_pages import page_entries, page_latest
from storage.entries.entry_writes import save_entries


@pytest.mark.parametrize("slugs", [["acme.s0"], ["acme.s0", "acme.s2"], ["acme.s3"], []])
def test_pages_of_some_sources_are_the_whole_list_in_order(database, catalog, learned, now, slugs):
    for slug in ("acme.s0", "acme.s1", "acme.s2"):
        new = [learned(f"{slug} {number}", hours=number) for number in range(5)]
        with database.write() as session:
            save_entries(session, catalog[slug], new=new, edited=[], now=now)
    source_ids = [catalog[slug] for slug in slugs]

    with database.read() as session:
        pages = [
            page_entries(session, source_ids, limit=4, offset=offset, now=now)
            for offset in range(0, 28, 4)
        ]

    times = [orjson.loads(each)["published_at"] for page in pages for each in page.documents]
    assert times == sorted(times, reverse=True)
    assert {page.total for page in pages} == {len(times)} == {5 * len({*slugs} - {"acme.s3"})}


def test_entries_of_one_moment_come_by_the_code_points_of_their_ids(
    database, catalog, now, learned
):
    ids = ["a-b", "ab", "a.c", "Zb", "_x", "é", "z", "10", "9"]
    with database.write() as session:
        new = [learned(external_id) for external_id in ids]
        save_entries(session, catalog["acme.s0"], new=new, edited=[], now=now)

    with database.read() as session:
        of_sources = page_entries(session, [catalog["acme.s0"]], limit=100, offset=0, now=now)
        latest = page_latest(session, limit=100, offset=0, now=now + timedelta(days=1))

    for page in (of_sources, latest):
        found = [orjson.loads(document)["id"] for document in page.documents]
        assert found == sorted(ids, reverse=True)
