"""Small snapshots of an invented vendor."""

import pytest

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry


@pytest.fixture
def shown():
    """Makes the snapshot of a feed that shows these entries, newest first.

    An entry is its day in May, or its day and what differs from the plain entry of that day.
    """

    def make(*days):
        entries = []
        for item in days:
            day, values = item if isinstance(item, tuple) else (item, {})
            plain = {
                "id": f"entry-{day}",
                "title": f"Release {day}",
                "url": f"https://acme.example/releases/{day}",
                "published_at": f"2026-05-{day:02}T09:00:00Z",
                "summary": f"Notes of release {day}.",
            }
            entries.append(SnapshotEntry(**{**plain, **values}))
        return Snapshot(tuple(entries), (), "rss/1")

    return make


@pytest.fixture
def page():
    """Makes the snapshot of a page with these (heading, text) blocks."""

    def make(*blocks):
        return Snapshot((), tuple(Block((heading,), text) for heading, text in blocks), "html/1")

    return make
