"""The key that signs CSRF tokens is made once, whoever starts at the same time."""

import secrets
import stat
import threading

import pytest

from service.secret_key import secret_key
from service.settings import WrongSettings, load_settings


@pytest.fixture(autouse=True)
def only_a_database(monkeypatch, tmp_path):
    """Configure a database in a folder of its own and nothing else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHANGEWIRE_SECRET_KEY", raising=False)


def test_a_secret_key_is_made_once_and_readable_by_its_owner_only(monkeypatch, tmp_path):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/data/x.db")

    first = secret_key(load_settings())

    assert secret_key(load_settings()) == first
    assert stat.S_IMODE((tmp_path / "data" / "x.secret").stat().st_mode) == 0o600


def test_processes_that_start_together_have_one_secret_key(monkeypatch, tmp_path):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/data/x.db")
    make, others = secrets.token_urlsafe, []

    def while_another_starts(size):
        if not others:
            others.append(None)
            others.append(secret_key(load_settings()))
        return make(size)

    monkeypatch.setattr("secrets.token_urlsafe", while_another_starts)

    assert secret_key(load_settings()) == others[1] != ""
    assert [each.name for each in (tmp_path / "data").iterdir()] == ["x.secret"]


def test_a_secret_key_that_another_process_is_writing_is_waited_for(monkeypatch, tmp_path):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/x.db")
    file = tmp_path / "x.secret"
    file.touch()
    writing = threading.Timer(0.1, file.write_text, ("of the other process" * 3,))
    writing.start()

    assert secret_key(load_settings()) == "of the other process" * 3


def test_an_empty_file_is_no_secret_key(monkeypatch, tmp_path):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/x.db")
    (tmp_path / "x.secret").touch()

    with pytest.raises(WrongSettings, match=r"x\.secret holds no key; remove it"):
        secret_key(load_settings())
