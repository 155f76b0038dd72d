"""The container files: by their published rules, and by what we promise of them."""

import re

import pytest
import yaml

from ingest.workers.shared_queue import CONNECTIONS as QUEUE_CONNECTIONS
from storage.engine.postgresql import CONNECTIONS, WORKERS_CONNECTIONS


@pytest.fixture(scope="module")
def compose(root):
    return yaml.safe_load((root / "compose.yaml").read_text())


def test_the_dockerfile_has_no_fault(root, run):
    assert run("hadolint", root / "Dockerfile") == (0, "")


def test_the_compose_file_is_one(root, run):
    status, told = run(
        "check-jsonschema", "--builtin-schema", "vendor.compose-spec", root / "compose.yaml"
    )

    assert (status, told.strip()) == (0, "ok -- validation done")


@pytest.mark.parametrize("file", ["Dockerfile", "changewire", "docs/operating.md"])
def test_every_installation_is_built_by_what_the_lock_pins(root, file):
    lines = (root / file).read_text().replace("\\\n", " ").splitlines()
    builds = [line for line in lines if "--no-deps" in line and "requirements.lock" not in line]

    assert builds
    assert [line for line in builds if "--no-build-isolation" not in line] == []


def test_the_container_runs_without_root_and_is_asked_for_its_health(root):
    lines = (root / "Dockerfile").read_text().splitlines()
    instructions = [line.split()[0] for line in lines if re.match(r"[A-Z]+ ", line)]

    assert "HEALTHCHECK" in instructions
    assert [line for line in lines if line.startswith("USER")] == ["USER 10001"]


def test_nothing_starts_before_the_database_is_upgraded(compose):
    services = compose["services"]

    assert services["upgrade"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    for name in ("api", "worker"):
        assert services[name]["depends_on"] == {
            "catalog": {"condition": "service_completed_successfully"}
        }


def test_postgresql_has_connections_for_all_processes(compose):
    services, command = compose["services"], " ".join(compose["services"]["database"]["command"])
    most = int(re.search(r"max_connections=(\d+)", command)[1])
    servers = int(services["api"]["command"][-1]) * CONNECTIONS
    workers = services["worker"]["deploy"]["replicas"] * (WORKERS_CONNECTIONS + QUEUE_CONNECTIONS)

    assert servers + workers + 4 * 2 + 3 == 67  # as docs/scaling.md adds up
    assert most > 67


def test_no_secret_stands_in_the_compose_file(root):
    text = (root / "compose.yaml").read_text()
    values = re.findall(r"(?:PASSWORD|SECRET_KEY|TOKEN): (.*)", text)

    assert values
    assert all(value.startswith("${") for value in values)


def test_only_loopback_is_published(compose):
    ports = [port for each in compose["services"].values() for port in each.get("ports", [])]

    assert ports == ["127.0.0.1:8080:8080"]


@pytest.mark.parametrize("service", ["api", "worker", "upgrade", "catalog"])
def test_a_service_of_ours_may_do_little(compose, service):
    settings = compose["services"][service]

    assert settings["read_only"] is True
    assert settings["cap_drop"] == ["ALL"]
    assert settings["security_opt"] == ["no-new-privileges:true"]
