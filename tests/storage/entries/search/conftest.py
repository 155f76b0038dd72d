"""Entries to be searched."""

from dataclasses import replace

import pytest

from storage.entries.entry_writes import save_entries


@pytest.fixture(scope="session")
def make_entry(learned):
    """Make entries: ``make_entry(id, title, summary)``."""

    def make_entry(external_id, title="", summary=None, *, hours=1.0, **options):
        return replace(learned(str(external_id), title, hours, summary=summary), **options)

    return make_entry


@pytest.fixture
def store(database, catalog, now):
    """Store entries of acme.s0, or of another source."""

    def store(*entries, source="acme.s0"):
        with database.write() as session:
            save_entries(session, catalog[source], new=entries, edited=[], now=now)

    return store
