"""changewire db copy, as an operator uses it (docs/operating.md)."""

import pytest
from specimen.site import fill_site

pytestmark = pytest.mark.slow


def test_a_copy_is_made_and_compared(run, now, tmp_path):
    site = fill_site(f"sqlite:///{tmp_path / 'old.db'}", now=now)

    status, out, err = run("db", "copy", site.url, f"sqlite:///{tmp_path / 'new.db'}")

    assert (status, out) == (0, "")
    assert "Both are equal." in err


def test_a_source_that_is_not_there_is_not_made(run, tmp_path):
    status, _, err = run(
        "db", "copy", f"sqlite:///{tmp_path / 'no.db'}", f"sqlite:///{tmp_path / 'new.db'}"
    )

    assert status == 1
    assert "There is no database" in err
    assert not (tmp_path / "no.db").exists()
