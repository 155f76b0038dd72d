"""changewire doctor: each problem of a deployment is one line that says what to do."""

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from specimen.serving import CHANGEWIRE, free_port, listening

from service.commands import doctor as module
from service.commands.doctor import database_problems, machine_problems, settings_problems
from service.settings import Settings

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITE = "https://changelogs.example.org"
GOOD = {
    "site_url": SITE,
    "secret_key": "k" * 40,
    "metrics_token": "t" * 20,
    "trusted_proxies": "127.0.0.1/32",
}


def named(problems, *words):
    """Return how bad the problems are whose line has a word."""
    return [severity for severity, line in problems if any(word in line for word in words)]


def test_good_settings_have_no_problem():
    assert list(settings_problems(Settings(**GOOD))) == []


@pytest.mark.parametrize(
    ("changed", "word", "severity"),
    [
        ({"site_url": "http://127.0.0.1:8080"}, "CHANGEWIRE_SITE_URL", "warning"),
        ({"site_url": "http://changelogs.example.org"}, "not encrypted", "fault"),
        ({"trusted_proxies": "0.0.0.0/0"}, "0.0.0.0/0 can forge addresses", "fault"),
        ({"metrics_token": None}, "CHANGEWIRE_METRICS_TOKEN", "warning"),
        ({"webhook_allow": "10.0.0.0/8"}, "10.0.0.0/8", "warning"),
        (
            {"secret_key": None, "database_url": "postgresql+psycopg:///x"},
            "CHANGEWIRE_SECRET_KEY",
            "fault",
        ),
    ],
)
def test_a_wrong_setting_is_named(changed, word, severity):
    (problem,) = settings_problems(Settings(**GOOD | changed))

    assert named([problem], word) == [severity]


@pytest.mark.parametrize(("hours", "found"), [(None, ["fault"]), (1, []), (30, ["warning"])])
def test_an_old_backup_is_a_problem(tmp_path, hours, found):
    if hours is not None:
        file = tmp_path / "copy.db"
        file.touch()
        os.utime(file, times=(NOW.timestamp() - hours * 3600,) * 2)

    assert named(machine_problems(Settings(backups=tmp_path), NOW), "has no backup") == found


@pytest.mark.parametrize(
    ("chosen", "word", "severity"),
    [
        ({}, "CHANGEWIRE_BACKUPS", "warning"),
        ({"site_url": SITE}, "Mails stay in", "fault"),
        ({"smtp_url": f"smtp://127.0.0.1:{free_port()}"}, "mail server fails", "fault"),
        ({}, "kernel lacks Landlock", "warning"),
    ],
)
def test_a_problem_of_the_machine_is_named(monkeypatch, chosen, word, severity):
    monkeypatch.setattr(module.jail, "missing_protections", lambda: ("Landlock",))

    assert named(machine_problems(Settings(**chosen), NOW), word) == [severity]


@pytest.mark.parametrize(("free", "found"), [(0.5, []), (0.01, ["fault"])])
def test_a_disk_that_is_nearly_full_is_a_problem(monkeypatch, tmp_path, free, found):
    monkeypatch.setattr(module.machine, "free_ratio", lambda _: free)

    assert named(machine_problems(Settings(outbox=tmp_path), NOW), str(tmp_path) + ")") == found


def test_a_database_that_takes_no_writes_is_a_fault(database, monkeypatch):
    monkeypatch.setattr(module.write_probe, "write_fault", lambda _: "database or disk is full")

    assert named(database_problems(Settings(), database, datetime.now(UTC)), "is full") == ["fault"]


@pytest.mark.parametrize("name", ["progress.progress", "delivery_log.backlog"])
def test_work_that_is_late_is_a_fault(database, monkeypatch, name):
    late = SimpleNamespace(due_since=NOW - timedelta(minutes=31))
    monkeypatch.setattr(f"service.commands.doctor.{name}", lambda _session, now: late)

    problems = list(database_problems(Settings(), database, NOW))

    assert named(problems, "31 minutes late") == ["fault"]


@pytest.mark.slow
def test_a_running_deployment_is_checked(tmp_path, empty_database_file):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    (tmp_path / "backups").mkdir()
    port = free_port()
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
        "CHANGEWIRE_SITE_URL": f"http://127.0.0.1:{port}",
        "CHANGEWIRE_OUTBOX": str(tmp_path / "outbox"),
        "CHANGEWIRE_BACKUPS": str(tmp_path / "backups"),
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }

    def faults():
        command = [*CHANGEWIRE, "doctor", "--json"]
        settings = os.environ | environment
        done = subprocess.run(command, env=settings, cwd=tmp_path, capture_output=True, timeout=120)
        found = [it["text"] for it in json.loads(done.stdout) if it["severity"] == "fault"]
        assert (done.returncode, b"1 fault, " in done.stderr) == (bool(found),) * 2
        return found

    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    with listening(command, port, "/readyz", tmp_path / "log", environment):
        (without_backup,) = faults()
        (tmp_path / "backups" / "today.db").touch()
        assert faults() == []
    (away,) = faults()

    assert "backup" in without_backup
    assert "does not answer (nothing listens there)" in away
