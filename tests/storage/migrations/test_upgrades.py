"""From every released schema to today's: nothing is lost, and the release goes on beside it.

``releases`` holds, for each release, a life that its own code led on an empty database: every
statement, from the first CREATE TABLE on. Where the repository's history is at hand, the release
itself is tried as well.
"""

import io
import json
import os
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from specimen.serving import free_port, listening
from sqlalchemy import MetaData, select

from storage.catalog.sources import ids_of
from storage.engine.database import faults, on_postgresql, open_database, upgrade
from storage.entries.changes import BEGINNING, changes_after
from storage.entries.entry_pages import page_entries


@dataclass(frozen=True)
class Release:
    """A release: its last commit, and the SHA-256 of its newest migration."""

    commit: str
    migration: str


RELEASES = {
    "0001": Release(
        commit="521e4878c1ab8616fdc9f91ad1adc7329708b7a9",
        migration="0ec97dbc637b4d9bcf838dc4eee2a2362dfe446d1dea4daf14d86095fcfbfb14",
    )
}
HERE = Path(__file__).parent
SLUGS = ["{}.compute", "{}.mail", "{}.storage"]
LEARNED = 20
"""Entries and edits of one life."""


@pytest.fixture(params=RELEASES)
def release(request):
    """The revision of a release."""
    return request.param


@pytest.fixture
def empty(new_database_url):
    """Make databases without tables."""
    opened = []

    def empty():
        opened.append(open_database(new_database_url(empty=True)))
        return opened[-1]

    yield empty
    for database in opened:
        database.close()


@pytest.fixture
def recording(release, empty):
    """What the release statements to its database: making the tables, then living in them."""
    backend = "postgresql" if on_postgresql(empty().engine) else "sqlite"
    lines = (HERE / "releases" / f"v{release}.{backend}.jsonl").read_text().splitlines()
    statements = [
        (statement, decoded(parameters)) for statement, parameters in map(json.loads, lines)
    ]
    made = next(
        place
        for place, (statement, _) in enumerate(statements)
        if "INSERT INTO alembic_version" in statement
    )
    return statements[: made + 1], statements[made + 1 :]


def decoded(value):
    """Return what the life's program wrote down as the value that it was."""
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if not isinstance(value, dict):
        return value
    kinds = {"bytes": bytes.fromhex, "datetime": datetime.fromisoformat, "date": date.fromisoformat}
    if len(value) == 1 and (kind := kinds.get(*value)):
        return kind(*value.values())
    return {name: decoded(item) for name, item in value.items()}


def repeat(database, statements):
    """Say it again; return the rows that came back for each statement, in any order."""
    found = []
    with database.write() as session:
        connection = session.connection()
        for statement, parameters in statements:
            many = (
                isinstance(parameters, list)
                and parameters
                and isinstance(parameters[0], list | dict)
            )
            values = [tuple(row) if isinstance(row, list) else row for row in parameters]
            one = tuple(parameters) if isinstance(parameters, list) else parameters
            rows = connection.exec_driver_sql(statement, values if many else one or None)
            found.append(sorted(map(repr, rows)) if rows.returns_rows else [])
    return found


@pytest.fixture
def released(empty, recording):
    """A database as the release left it."""
    database = empty()
    repeat(database, [*recording[0], *recording[1]])
    return database


def contents(database):
    """Return every row of every table, by table."""
    schema = MetaData()
    with database.engine.connect() as connection:
        schema.reflect(connection)
        return {
            name: [dict(row._mapping) for row in connection.execute(select(table))]
            for name, table in schema.tables.items()
            if name != "alembic_version"
        }


def test_an_upgrade_loses_nothing(released):
    before = contents(released)
    assert all(before.values()), "a life has rows in every table"

    assert upgrade(released)

    after = contents(released)
    for name, rows in before.items():
        kept = [{column: row[column] for column in rows[0]} for row in after[name]]
        assert sorted(map(repr, kept)) == sorted(map(repr, rows)), name
    assert faults(released) == []


def test_all_that_a_release_says_means_the_same_after_the_upgrade(empty, recording):
    made, life = recording
    before, after = empty(), empty()
    repeat(before, made)
    upgrade(after)

    assert repeat(after, life) == repeat(before, life)

    with after.read() as session:
        assert len(changes_after(session, BEGINNING, limit=100).changes) == LEARNED
    assert faults(after) == []


def test_a_released_migration_is_never_changed(release):
    (file,) = files("storage.migrations").joinpath("versions").glob(f"v{release}_*.py")

    assert sha256(file.read_bytes()).hexdigest() == RELEASES[release].migration


@pytest.fixture(scope="session")
def code_of(tmp_path_factory):
    """Lay out the code of a release: ``code_of(revision)``, a folder."""
    root = HERE.parents[2]

    def code_of(revision):
        folder = tmp_path_factory.mktemp(f"release-{revision}")
        git = ["git", "-C", root, "archive", "--format=zip", RELEASES[revision].commit]
        packed = subprocess.run(git, capture_output=True, timeout=60)
        if packed.returncode != 0:
            pytest.skip(f"the repository's history is not here, so release {revision} is not tried")
        zipfile.ZipFile(io.BytesIO(packed.stdout)).extractall(folder)
        return folder

    return code_of


@pytest.fixture
def as_released(released, release, code_of):
    """The environment in which programs are those of the release, on the database it left."""
    return {
        **os.environ,
        "PYTHONPATH": str(code_of(release)),
        "CHANGEWIRE_DATABASE_URL": released.engine.url.render_as_string(hide_password=False),
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }


@pytest.mark.slow
def test_the_release_itself_lives_on_after_the_upgrade(released, release, as_released):
    upgrade(released)
    life = HERE / "releases" / f"v{release}_life.py"
    program = [sys.executable, life, as_released["CHANGEWIRE_DATABASE_URL"], "globex"]

    done = subprocess.run(
        program, env=as_released, cwd=HERE, capture_output=True, text=True, timeout=120
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(as_released["PYTHONPATH"])
    with released.read() as session:
        ids = ids_of(session, [slug.format("globex") for slug in SLUGS])
        page = page_entries(session, frozenset(ids.values()), limit=100, offset=0)
        learned = changes_after(session, BEGINNING, limit=100, source_ids=ids.values())
    assert (page.total, len(learned.changes)) == (18, LEARNED)
    assert faults(released) == []


@pytest.mark.slow
def test_a_server_of_the_release_goes_on_while_the_database_is_upgraded(
    released, as_released, tmp_path
):
    program = [sys.executable, "-c", "from service.cli import main; main()"]
    make = [*program, "key", "create", "ada@acme.example", "--name", "x", "--source"]
    made = subprocess.run(
        [*make, "acme.mail"], env=as_released, cwd=tmp_path, capture_output=True, timeout=60
    )
    port = free_port()
    serve = [*program, "serve", "--port", str(port)]
    with listening(serve, port, "/readyz", tmp_path / "log", as_released) as site:
        upgrade(released)

        key = {"X-Api-Key": made.stdout.decode().strip()}
        requests = [
            Request(f"{site}/api/v1/entries?sources=acme.mail", headers=key),
            Request(f"{site}/api/v1/sources", headers=key),
            Request(f"{site}/api/v1/latest"),
            Request(
                f"{site}/api/v1/sources/request",
                data=json.dumps({"url": "https://acme.example/other"}).encode(),
                headers={"Content-Type": "application/json"},
            ),
        ]
        answers = []
        for request in requests:
            with urlopen(request, timeout=30) as response:
                answers.append((response.status, json.load(response).get("total")))

    assert answers == [(200, 6), (200, 3), (200, 18), (201, None)]
