"""No value of any setting ends a command in a traceback, and no message shows a password."""

import os
import subprocess
from contextlib import suppress

import pytest
from specimen.serving import CHANGEWIRE, wait_for

from service.app import create_app
from service.database import database_of
from service.settings import Settings, WrongSettings, load_settings
from storage.engine.database import DatabaseUnavailable, open_database

HOSTILE = {
    "blank": " \t",
    "carriage return": "a\rb",
    "escape": "\x1b[2J",
    "not utf-8": "\udcff",
    "non-ascii": "schlüssel-" * 5,
    "long": "x" * 10_000,
    "digits": "9" * 10_000,
    "number": "nan",
    "commas": ",,",
    "separators": "://@:/?#[]",
    "http address": "http://user:p/a#s?s@[::1/%zz",
    "many labels": "http://127.0.0.1:1/" + "y" * 5_000,
    "mail server": "smtp://" + "ü" * 300,
    "file": "sqlite:///" + "z" * 5_000,
    "device": "/dev/null/x",
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_hostile_value_is_taken_or_refused_in_one_line(monkeypatch, tmp_path, name, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/a.db")
    monkeypatch.setenv(f"CHANGEWIRE_{name.upper()}", value)

    refused = ""
    try:
        settings = load_settings()
        database = database_of(settings, make=True)
        create_app(settings, database)
        database.close()
    except WrongSettings as error:
        refused = str(error)
    except DatabaseUnavailable as error:
        refused = f"CHANGEWIRE_DATABASE_URL: {error}"

    assert not refused or refused.startswith(f"CHANGEWIRE_{name.upper()}: ")
    assert len(refused.splitlines()) <= 1
    assert len(refused) < 6_000


@pytest.mark.parametrize("name", Settings.model_fields)
def test_no_command_breaks_off_at_a_hostile_value(monkeypatch, run, name):
    for value in HOSTILE.values():
        monkeypatch.setenv(f"CHANGEWIRE_{name.upper()}", value)
        for command in (("db", "check"), ("doctor", "http://127.0.0.1:1")):
            status, out, err = run(*command)
            wrong = err.startswith(f"changewire: CHANGEWIRE_{name.upper()}")
            assert status in ((2,) if wrong else (0, 1))
            assert "Traceback" not in out + err


def takes(monkeypatch, name, value):
    """Tell whether a setting is a valid one with this value."""
    with monkeypatch.context() as context, suppress(WrongSettings):
        context.setenv(name, value)
        return bool(load_settings())
    return False


@pytest.mark.slow
@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_no_process_ends_in_a_traceback_with_all_settings_at_a_hostile_value(
    monkeypatch, tmp_path, unused_port, value
):
    """Run commands with all settings that take the value, then with those that refuse it."""
    monkeypatch.chdir(tmp_path)
    hostile = {f"CHANGEWIRE_{name.upper()}": value for name in Settings.model_fields}
    del hostile["CHANGEWIRE_DATABASE_URL"]
    taken = {name: value for name in hostile if takes(monkeypatch, name, value)}
    refused = {name: value for name in hostile if name not in taken}
    site = {"CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/a.db", "XDG_DATA_HOME": str(tmp_path)}
    log = tmp_path / "log"
    here = f"http://127.0.0.1:{unused_port}"
    for given, path, *arguments in (
        (taken, "healthz", "serve", "--port", str(unused_port)),
        (taken, "metrics", "worker", "--metrics-port", str(unused_port)),
        (taken, "", "doctor", here),
        (refused, "", "db", "check"),
    ):
        environment = os.environ | site | given
        command = [*CHANGEWIRE, *arguments]
        with log.open("wb") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        if path:
            with suppress(AssertionError):  # it has ended already
                wait_for(f"{here}/{path}", process, log)
                process.terminate()
        assert process.wait(60) in (0, 1, 2)
        told = log.read_text()
        assert "Traceback" not in told
        assert given is taken or all(f"{name}: " in told for name in refused)


@pytest.mark.parametrize(
    "password", ["p@hush", "p@hush:1", "p@hush/x", "p@hush?x", "p@hush#x", "1/hush", "hush"]
)
def test_a_password_of_a_database_is_in_no_message(password):
    with pytest.raises(DatabaseUnavailable) as error:
        open_database(f"postgresql+psycopg://u:{password}@127.0.0.1:1/db")

    assert "hush" not in str(error.value)
