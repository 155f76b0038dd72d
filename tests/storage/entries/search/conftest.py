"""Entries to be searched."""

from dataclasses import replace
from datetime import timedelta

import pytest

from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries


@pytest.fixture(scope="session")
def make_entry(now):
    """Make entries: ``make_entry(id, title, summary)``."""

    def make_entry(external_id, title="", summary=None, *, hours=1.0, **options):
        text = EntryText(
            external_id=str(external_id),
            source="acme.s0",
            vendor="acme",
            published_at=now - timedelta(hours=hours),
            title=title,
            url=None,
            summary=summary,
            raw={},
            tags=("cloud",),
        )
        return replace(EntryRecord(text, f"{external_id}".ljust(64, "0"), None, 1), **options)

    return make_entry


@pytest.fixture
def store(database, catalog, now):
    """Store entries of acme.s0, or of another source."""

    def store(*entries, source="acme.s0"):
        with database.write() as session:
            save_entries(session, catalog[source], new=entries, edited=[], now=now)

    return store
