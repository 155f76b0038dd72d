"""Whether the database takes writes: on a full disk it does not, and says so."""

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from full_disk import full_disk

from storage.engine.write_probe import EVERY, WriteProbe, write_fault


def test_a_sound_database_takes_writes(database):
    assert write_fault(database) is None


@pytest.mark.only_on("sqlite")  # the server of PostgreSQL has limits and files of its own
def test_a_full_disk_is_told(database):
    with full_disk():
        assert "disk" in write_fault(database)
    assert write_fault(database) is None


@pytest.mark.only_on("sqlite")
def test_a_deleted_file_is_told(database):
    file = Path(database.engine.url.database)
    file.rename(moved := file.with_suffix(".moved"))
    assert "There is no database" in write_fault(database)
    moved.rename(file)
    assert write_fault(database) is None


def test_it_is_tried_once_in_ten_seconds(database, now, monkeypatch):
    probe = WriteProbe(database)
    assert probe.fault(now=now) is None
    monkeypatch.setattr("storage.engine.write_probe.write_fault", lambda _: "full")

    assert probe.fault(now=now + EVERY - timedelta(seconds=1)) is None
    assert probe.fault(now=now + EVERY) == "full"


def test_a_write_that_waits_for_another_one_is_no_failure(database, now, monkeypatch):
    release = threading.Event()
    monkeypatch.setattr("storage.engine.write_probe.PATIENCE_SECONDS", 0.05)
    monkeypatch.setattr(
        "storage.engine.write_probe.write_fault", lambda _: "late" if release.wait(5) else None
    )
    probe = WriteProbe(database)
    assert probe.fault(now=now) is None
    release.set()
    monkeypatch.setattr("storage.engine.write_probe.PATIENCE_SECONDS", 5)

    assert probe.fault(now=now) == "late"
