"""What tests of every floor start from: a clock that stands still and an empty database."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from storage.database import Database, open_database, upgrade


@pytest.fixture(scope="session")
def now() -> datetime:
    """The time at which all tests play."""
    return datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def empty_database_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database at the newest revision, migrated once and copied for every test."""
    file = tmp_path_factory.mktemp("database") / "empty.db"
    database = open_database(f"sqlite:///{file}")
    upgrade(database)
    database.close()
    return file


@pytest.fixture
def database(empty_database_file: Path, tmp_path: Path) -> Iterator[Database]:
    """An empty SQLite database of its own."""
    file = tmp_path / "changewire.db"
    shutil.copy(empty_database_file, file)
    database = open_database(f"sqlite:///{file}")
    yield database
    database.close()
