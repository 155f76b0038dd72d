"""When a snapshot is made, and by whom."""

import threading
from datetime import timedelta

import pytest

from ingest.workers.bulk import is_due, keep_snapshot, make_snapshot
from storage.bulk.snapshot import Frame, Snapshot

HOUR = timedelta(hours=1)
FRAMES = (Frame("acme.mail", 0, 10, 1),)


@pytest.mark.parametrize(
    ("age", "frames", "due"),
    [
        (0 * HOUR, FRAMES, False),
        (23 * HOUR, FRAMES, False),
        (24 * HOUR, FRAMES, True),
        (-HOUR, FRAMES, True),
        (HOUR, (), True),
    ],
)
def test_one_is_made_when_the_last_is_a_day_old_or_empty_or_of_a_clock_ahead(now, age, frames, due):
    assert is_due(Snapshot(1, now - age, "a", frames), now=now) is due


def test_two_processes_do_not_make_it_at_once(database, tmp_path, now):
    other = []

    def meanwhile():
        other.append(make_snapshot(database, tmp_path, now=now, anyway=True))
        return False

    made = make_snapshot(database, tmp_path, now=now, stopped=meanwhile)

    assert made is not None
    assert not any(other)


def test_a_folder_that_cannot_be_written_stops_no_worker(database, tmp_path, now, monkeypatch):
    (tmp_path / "file").touch()
    stop = threading.Event()
    waits = []
    monkeypatch.setattr(stop, "wait", lambda seconds: (waits.append(seconds), stop.set()))

    keep_snapshot(database, stop, folder=tmp_path / "file", now=lambda: now)

    assert len(waits) == 1
