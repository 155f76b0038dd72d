"""changewire doctor: a deployment is tried, and each line says what to do."""

import json
import os
import socket
import ssl
import subprocess
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import typer
from specimen.serving import CHANGEWIRE, free_port, listening

from service.commands.doctor import doctor, line_of
from service.doctor.findings import Verdict, warning
from service.doctor.of_database import clock_finding, database_findings
from service.doctor.of_settings import (
    backup_finding,
    disk_findings,
    jail_finding,
    mail_finding,
    proxy_findings,
    settings_findings,
)
from service.doctor.of_site import certificate_finding, judge_certificate, site_findings
from service.settings import Settings
from service.telemetry.machine import Machine

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SITE = "https://changelogs.example.org"
TOKEN, KEY = "t" * 20, "k" * 40


def verdicts(findings):
    return [each.verdict.value for each in findings]


@pytest.mark.parametrize(
    ("chosen", "verdict"),
    [
        ({"site_url": SITE}, "fault"),
        ({"site_url": SITE, "trusted_proxies": "127.0.0.1/32"}, "ok"),
        ({"site_url": SITE, "trusted_proxies": "10.0.0.0/8,::1/128"}, "ok"),
        ({"site_url": SITE, "trusted_proxies": "0.0.0.0/0"}, "fault"),
        ({"site_url": SITE, "trusted_proxies": "::/0"}, "fault"),
        ({}, "ok"),
    ],
)
def test_a_proxy_is_named_and_nobody_else(chosen, verdict):
    assert verdicts(proxy_findings(Settings(**chosen))) == [verdict]


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({"site_url": SITE, "secret_key": KEY, "metrics_token": TOKEN}, ["ok"]),
        ({"site_url": SITE, "secret_key": KEY}, ["warning", "ok"]),
        ({"secret_key": KEY}, ["warning", "ok"]),
        (
            {
                "site_url": SITE,
                "secret_key": KEY,
                "metrics_token": TOKEN,
                "webhook_allow": "10.0.0.0/8",
            },
            ["warning", "ok"],
        ),
        (
            {"site_url": SITE, "database_url": "postgresql+psycopg:///x", "metrics_token": TOKEN},
            ["fault"],
        ),
    ],
)
def test_settings_that_lack_something_are_named(chosen, found):
    assert verdicts(settings_findings(Settings(**chosen), [])) == found


@pytest.mark.parametrize(
    ("hours", "verdict"), [(None, "fault"), (1, "ok"), (30, "warning"), (100, "fault")]
)
def test_the_newest_backup_is_of_today(tmp_path, hours, verdict):
    if hours is not None:
        file = tmp_path / "copy.db"
        file.touch()
        os.utime(file, times=(NOW.timestamp() - hours * 3600,) * 2)

    assert backup_finding(Machine({}, tmp_path), now=NOW).verdict.value == verdict


def test_backups_that_nobody_knows_of_are_a_warning():
    assert backup_finding(Machine({}, None), now=NOW).verdict is Verdict.WARNING


@pytest.mark.parametrize(("free", "verdict"), [(0.5, "ok"), (0.05, "warning"), (0.01, "fault")])
def test_a_disk_that_is_nearly_full_is_told(monkeypatch, tmp_path, free, verdict):
    monkeypatch.setattr("service.doctor.of_settings.free_ratio", lambda _: free)

    assert verdicts(disk_findings(Machine({"outbox": tmp_path}, None))) == [verdict]


def test_a_mail_server_that_is_not_there_is_a_fault():
    settings = Settings(smtp_url=f"smtp://127.0.0.1:{free_port()}")

    assert mail_finding(settings).verdict is Verdict.FAULT


@pytest.mark.parametrize(("site", "verdict"), [(SITE, "fault"), ("http://127.0.0.1:1", "warning")])
def test_mails_that_are_files_reach_nobody(site, verdict):
    assert mail_finding(Settings(site_url=site)).verdict.value == verdict


@pytest.mark.parametrize(("seconds", "verdict"), [(0, "ok"), (-5, "ok"), (6, "fault")])
def test_clocks_that_differ_are_told(seconds, verdict):
    assert clock_finding("the other", timedelta(seconds=seconds)).verdict.value == verdict


@pytest.mark.parametrize(("days", "verdict"), [(60, "ok"), (20, "warning"), (4, "fault")])
def test_a_certificate_that_ends_soon_is_told(days, verdict):
    ends = (NOW + timedelta(days=days, hours=1)).strftime("%b %d %H:%M:%S %Y GMT")

    assert judge_certificate(ends, "TLSv1.3 at x", now=NOW).verdict.value == verdict


def test_a_certificate_that_nobody_believes_is_a_fault():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("mail_localhost.pem"))
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            peer, _ = server.accept()
            with peer, suppress(OSError):
                context.wrap_socket(peer, server_side=True).recv(1)

        thread = threading.Thread(target=answer)
        thread.start()
        found = certificate_finding("127.0.0.1", server.getsockname()[1], now=NOW)
        thread.join()

    assert (found.verdict, "is refused" in found.text) == (Verdict.FAULT, True)


def test_a_site_that_is_away_and_without_tls_has_two_faults():
    site = f"http://127.0.0.1:{free_port()}"

    found = list(site_findings(site, is_public=True, now=NOW))

    assert [(each.subject, each.verdict.value) for each in found] == [
        ("tls", "fault"),
        ("site", "fault"),
    ]


def test_a_kernel_without_a_jail_is_a_warning():
    assert jail_finding(("Landlock",)).verdict is Verdict.WARNING
    assert jail_finding(()).verdict is Verdict.OK


def test_a_sound_database_is_said_to_be_well(database):
    found = list(database_findings(database, None, now=datetime.now(UTC)))

    assert {each.subject: each.verdict.value for each in found} == {
        "migrations": "ok",
        "database": "ok",
        "queue": "ok",
        "webhooks": "ok",
        "clock": "ok",
        "webhook secrets": "warning",
    }


def test_what_others_wrote_stays_on_its_line():
    found = warning("site", "It says: a\nb\x1b[31m", "Look.")

    assert len(line_of(found).splitlines()) == 1
    assert "\x1b" not in line_of(found)


def test_an_address_of_no_database_is_a_fault_among_others(monkeypatch, capsys):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", "nonsense")

    with pytest.raises(typer.Exit):
        doctor(f"http://127.0.0.1:{free_port()}")

    assert "CHANGEWIRE_DATABASE_URL is not an address" in capsys.readouterr().out


@pytest.mark.slow
def test_a_running_deployment_is_tried(tmp_path, empty_database_file):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    backups, port = tmp_path / "backups", free_port()
    backups.mkdir()
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
        "CHANGEWIRE_SITE_URL": f"http://127.0.0.1:{port}",
        "CHANGEWIRE_OUTBOX": str(tmp_path / "outbox"),
        "CHANGEWIRE_BACKUPS": str(backups),
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }

    def run_doctor():
        command = [*CHANGEWIRE, "doctor", "--json"]
        settings = os.environ | environment
        done = subprocess.run(command, env=settings, cwd=tmp_path, capture_output=True, timeout=120)
        findings = json.loads(done.stdout)
        return done.returncode, {(each["subject"], each["verdict"]) for each in findings}

    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    with listening(command, port, "/readyz", tmp_path / "log", environment):
        without_backup = run_doctor()
        (backups / "today.db").touch()
        status, found = run_doctor()
    away = run_doctor()

    assert (without_backup[0], ("backups", "fault") in without_backup[1]) == (1, True)
    assert {("site", "ok"), ("backups", "ok"), ("migrations", "ok"), ("database", "ok")} <= found
    assert (status, {each for each in found if each[1] == "fault"}) == (0, set())
    assert (away[0], ("site", "fault") in away[1]) == (1, True)
