"""Pages of the entries of some sources, and the order of entries of one moment."""

from datetime import timedelta

import orjson

from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import PUBLIC, EntryList
from storage.entries.entry_writes import save_entries
from storage.entries.search.matching import Scope


def test_entries_of_one_moment_come_by_the_code_points_of_their_ids(
    database, catalog, now, learned
):
    ids = ["a-b", "ab", "a.c", "Zb", "_x", "é", "z", "10", "9"]
    with database.write() as session:
        new = [learned(external_id) for external_id in ids]
        save_entries(session, catalog["acme.s0"], new=new, edited=[], now=now)

    with database.read() as session:
        whole = EntryList(now, source_ids=[catalog["acme.s0"]], scope=Scope.WHOLE)
        public = EntryList(now + timedelta(days=1), PUBLIC)
        pages = [page_documents(session, each, limit=100, offset=0) for each in (whole, public)]

    for page in pages:
        found = [orjson.loads(document)["id"] for document in page.documents]
        assert found == sorted(ids, reverse=True)
