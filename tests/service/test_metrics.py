"""Metrics: few labels, no secrets, the same for every process, and what the dashboards ask for."""

import json
import os
import re
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from specimen.serving import CHANGEWIRE
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from ingest.pipeline.report import CheckReport, CheckStatus
from openapi.contract import load_contract
from openapi.vocabulary import Health
from service.settings import Settings
from service.telemetry.metrics import (
    count_check,
    count_mail,
    count_request,
    exposition,
    gauges,
    may_read,
    metrics_page,
    request_labels,
)
from storage.delivery.delivery_log import Backlog
from storage.scheduling.progress import Progress

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
TOKEN = "t" * 16
DEPLOY = Path(__file__).parents[2] / "deploy"
STORED = Progress(
    by_health={Health.OK: 3},
    due=2,
    due_since=NOW - timedelta(minutes=1),
    failing=4,
    read_at=NOW - timedelta(hours=2),
    entries=5,
    open_gaps=6,
    open_requests=8,
)
WAITING = Backlog(pending=3, due_since=NOW - timedelta(minutes=2), failing=1)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/api/v1/nothing", "unknown"),
        ("/api/v2/entries", "v2 list_entries"),
        ("/", "pages"),
        ("/healthz", "probes"),
    ],
)
def test_a_request_is_counted_under_one_of_few_names(path, label):
    second = load_contract() | {"servers": [{"url": "/api/v2"}]}

    assert request_labels(load_contract(), second)(path) == label


@pytest.mark.parametrize(
    ("peer", "headers", "token", "is_public", "may"),
    [
        ("127.0.0.1", {}, None, False, True),
        ("127.0.0.1", {}, TOKEN, True, False),
        ("10.0.0.9", {}, None, False, False),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}, None, False, False),
        ("10.0.0.9", {"Authorization": f"Bearer {TOKEN}"}, TOKEN, True, True),
        ("10.0.0.9", {"Authorization": f"Bearer {TOKEN}x"}, TOKEN, False, False),
        ("10.0.0.9", {"Authorization": "Bearer None"}, None, False, False),
    ],
)
def test_who_may_read_the_metrics(peer, headers, token, is_public, may):
    assert may_read(peer, Headers(headers), token=token, is_public=is_public) is may


def asked(database, method, peer="127.0.0.1"):
    """Ask for the page from a machine."""
    page = metrics_page(Settings(), database)
    return TestClient(page, client=(peer, 50_000)).request(method, "/metrics")


def test_metrics_are_read_with_get_and_strangers_find_nothing_there(database):
    whole, refused = asked(database, "GET"), asked(database, "POST")

    assert (whole.status_code, whole.headers["Cache-Control"]) == (200, "no-store")
    assert "changewire_entries_stored" in whole.text
    assert refused.status_code == 405
    assert asked(database, "GET", peer="10.0.0.9").status_code == 404


def told(stored=STORED, waiting=WAITING, **settings):
    found = gauges(Settings(**settings), stored, waiting, NOW)
    return {
        sample.name.removeprefix("changewire_"): sample.value
        for family in found
        for sample in family.samples
    }


def test_what_is_stored_and_waits_is_told_with_times_as_ages():
    found = told()

    del found["disk_free_ratio"]
    assert found == {
        "sources": 3,
        "sources_due": 2,
        "sources_due_age_seconds": 60,
        "sources_failing": 4,
        "last_read_age_seconds": 7200,
        "entries_stored": 5,
        "gaps_open": 6,
        "source_requests_open": 8,
        "deliveries_pending": 3,
        "deliveries_due_age_seconds": 120,
        "webhooks_failing": 1,
    }


def counted(database):
    """The counters of this process by name and labels."""
    lines = exposition(Settings(), database, NOW).decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in pairs if "_total" in name}


def names_asked_for():
    """Every metric that the dashboard and the alerts read."""
    dashboard = json.loads((DEPLOY / "grafana" / "changewire.json").read_text())
    panels = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())
    rules = [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    return {name for text in (*panels, *rules) for name in re.findall(r"changewire_\w+", text)}


def test_dashboard_and_alerts_ask_for_what_there_is(database):
    count_check(CheckReport("acme.widgets", CheckStatus.FETCHED, new=1))
    count_mail(True)
    count_request("GET", "pages", 200, 0.1)
    written = exposition(Settings(backups=DEPLOY), database, NOW).decode()
    offered = {family.name for family in text_string_to_metric_families(written)}
    offered |= {f"changewire_{name}" for name in told()}
    plain = {re.sub(r"_(total|bucket|sum|count)$", "", name) for name in names_asked_for()}

    assert plain - offered == set()


@pytest.mark.slow
def test_every_process_answers_for_all(tmp_path, empty_database_file, unused_port):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    environment = {
        **os.environ,
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }
    arguments = ["serve", "--workers", "2", "--port", str(unused_port)]
    server = subprocess.Popen([*CHANGEWIRE, *arguments], env=environment)
    try:
        assert_both_count(f"http://127.0.0.1:{unused_port}")
    finally:
        server.terminate()
        assert server.wait(20) == 0


def assert_both_count(site):
    """Ask with a connection for each request, so that both processes get some of them."""
    deadline = time.monotonic() + 180
    answers = 0
    while answers < 20:
        assert time.monotonic() < deadline
        try:
            httpx2.get(f"{site}/api/v1/latest").raise_for_status()
            answers += 1
        except httpx2.TransportError:
            time.sleep(0.2)
    latest = 'changewire_requests_total{method="GET",operation="list_latest",status="200"} '
    sums = [
        httpx2.get(f"{site}/metrics").text.partition(latest)[2].split("\n")[0] for _ in range(6)
    ]

    assert sums == ["20.0"] * 6


def test_the_age_of_a_backup_is_that_of_the_newest_file(tmp_path):
    for name, hours in (("old", 50), ("new", 3)):
        (tmp_path / name).touch()
        at = (NOW - timedelta(hours=hours)).timestamp()
        os.utime(tmp_path / name, (at, at))

    assert told(backups=tmp_path)["backup_age_seconds"] == 10_800
