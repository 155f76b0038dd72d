"""Commands that migrate, refuse and copy a database (docs/decisions/0048)."""

from contextlib import closing

import pytest
from old_database import FIRST, load_dump
from specimen.site import fill_site

from storage.engine.database import NEWEST_REVISION, current_revision, open_database


@pytest.fixture
def database_url(tmp_path):
    """A database that an older version made."""
    address = f"sqlite:///{tmp_path}/older.db"
    with closing(open_database(address)) as database:
        load_dump(database)
    return address


def revision_of(address):
    with closing(open_database(address)) as database:
        return current_revision(database)


@pytest.mark.parametrize(
    "arguments",
    [["serve", "--port", "{port}"], ["account", "create", "ada@acme.example"], ["db", "check"]],
)
def test_an_older_database_is_refused_with_one_line_and_left_alone(
    run, database_url, unused_port, arguments
):
    status, out, err = run(*(argument.format(port=unused_port) for argument in arguments))

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "run: changewire db upgrade" in err
    assert revision_of(database_url) == FIRST


def test_a_copy_is_made_before_an_upgrade_and_none_without_one(run, database_url, tmp_path):
    folder = tmp_path / "copies"
    folder.mkdir()

    for _ in range(2):
        assert run("db", "upgrade", "--backup", str(folder))[0] == 0

    (copy,) = folder.iterdir()
    assert copy.name.startswith(f"{FIRST}-before-{NEWEST_REVISION}-2")
    assert revision_of(f"sqlite:///{copy}") == FIRST
    assert revision_of(database_url) == NEWEST_REVISION


def test_without_a_folder_for_the_copy_nothing_is_changed(run, database_url, tmp_path):
    status, _, err = run("db", "upgrade", "--backup", str(tmp_path / "missing"))

    assert (status, "does not exist" in err) == (1, True)
    assert revision_of(database_url) == FIRST


@pytest.mark.slow
def test_a_copy_of_a_database_is_made_and_compared(run, now, tmp_path):
    site = fill_site(f"sqlite:///{tmp_path / 'old.db'}", now=now)

    status, out, err = run("db", "copy", site.url, f"sqlite:///{tmp_path / 'new.db'}")

    assert (status, out) == (0, "")
    assert "Both are equal." in err
