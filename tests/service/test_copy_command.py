"""changewire db copy and db read-only, as an operator uses them (docs/operating.md)."""

import pytest
from specimen.site import fill_site

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path, now, monkeypatch):
    """A database with something of everything, which the settings name."""
    site = fill_site(f"sqlite:///{tmp_path / 'old.db'}", now=now)
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", site.url)
    return site


def test_a_copy_is_compared_by_rows_and_answers(run, site, tmp_path):
    status, out, err = run("db", "copy", site.url, f"sqlite:///{tmp_path / 'new.db'}")

    assert (status, out) == (0, "")
    assert "Every table is the same." in err
    assert "The copy is the same: every table, and the answers to " in err
    assert "/api/v1/latest" not in err  # the requests that were compared write no lines


def test_the_old_database_is_read_only_until_it_is_said_otherwise(run, site, tmp_path):
    run("db", "copy", site.url, f"sqlite:///{tmp_path / 'new.db'}")

    refused = run("account", "create", "eve@acme.example")
    allowed = run("db", "read-only", "--off")
    created = run("account", "create", "eve@acme.example")

    assert refused[0] == 1
    assert "read-only" in refused[2]
    assert allowed == (0, "", "The database can be written.\n")
    assert created[0] == 0


def test_a_source_that_is_not_there_is_not_made(run, site, tmp_path):
    status, _, err = run(
        "db", "copy", f"sqlite:///{tmp_path / 'no.db'}", f"sqlite:///{tmp_path / 'new.db'}"
    )

    assert status == 1
    assert "There is no database" in err
    assert not (tmp_path / "no.db").exists()
