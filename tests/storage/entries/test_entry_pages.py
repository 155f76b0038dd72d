"""Pages of the entries of some sources, and the order of entries of one moment."""

from datetime import timedelta

import orjson

from storage.entries.entry_pages import page_entries, page_latest
from storage.entries.entry_writes import save_entries


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
