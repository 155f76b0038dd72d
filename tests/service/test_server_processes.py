"""The server's processes stand on their own feet: what its parent does leaves no trace in them."""

import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from connexion_passages import observed_servers
from process_tree import descendants, survivors
from specimen.serving import CHANGEWIRE, listening, wait_for
from waiting import wait_until

from service.demo.sample_data import temporary_data

pytestmark = pytest.mark.slow


def test_a_first_start_serves_the_site_of_the_env_file_at_the_address_of_the_command(
    tmp_path, unused_port
):
    (tmp_path / ".env").write_text(
        f"CHANGEWIRE_DATABASE_URL=sqlite:///{tmp_path}/changewire.db\n"
        "CHANGEWIRE_SITE_URL=https://acme.example\n"
    )
    command = [*CHANGEWIRE, "serve", "--port", str(unused_port)]
    log = tmp_path / "log"

    with (
        observed_servers(tmp_path) as observed,
        listening(command, unused_port, "/readyz", log, observed) as here,
    ):
        asked = urllib.request.Request(f"{here}/api/v1/sources", headers={"Host": "acme.example"})
        with urllib.request.urlopen(asked, timeout=30) as response:
            assert response.status == 200
        told = f"Serving https://acme.example, listening at {here};"
        wait_until(lambda: told in log.read_text())
    assert log.read_text().startswith(f"Created {tmp_path}/changewire.db.\n")


STARTERS = {
    "the demo, with a worker": ("up", "--demo"),
    "several server processes": ("serve", "--workers", "3"),
}


@pytest.mark.parametrize("arguments", STARTERS.values(), ids=STARTERS)
def test_a_killed_main_process_leaves_no_process_and_frees_the_port(
    arguments, tmp_path, empty_database_file, unused_port, monkeypatch
):
    monkeypatch.setattr(os, "environ", {**os.environ})
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    environment = os.environ | {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    command = [*CHANGEWIRE, *arguments, "--port", str(unused_port)]
    log = tmp_path / "log"
    with log.open("wb") as out:
        main = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=out, stderr=out)
    try:
        wait_for(f"http://127.0.0.1:{unused_port}/healthz", main, log)
        started = descendants(main.pid)
    finally:
        main.kill()
        main.wait(30)

    assert len(started) >= 2  # a server process and the tracker of multiprocessing
    assert not survivors(started, seconds=5)
    with socket.create_server(("127.0.0.1", unused_port)), temporary_data():
        assert not [*Path("/dev/shm").glob(f"*demo-{main.pid}-*")]  # the next demo removes it


@pytest.mark.parametrize("ended", [signal.SIGINT, signal.SIGTERM])
def test_a_first_load_that_is_stopped_twice_leaves_no_process(tmp_path, unused_port, ended):
    url = f"sqlite:///{tmp_path}/changewire.db"
    command = [*CHANGEWIRE, "up", "--no-ingest", "--port", str(unused_port)]
    log = tmp_path / "log"
    with log.open("wb") as out:
        environment = os.environ | {"CHANGEWIRE_DATABASE_URL": url}
        main = subprocess.Popen(command, env=environment, stderr=out, process_group=0)
    wait_until(lambda: "Created" in log.read_text())
    started = descendants(main.pid)

    for _ in range(2):
        (os.killpg if ended is signal.SIGINT else os.kill)(main.pid, ended)

    assert started
    try:
        assert main.wait(30) == -ended, log.read_text()
        assert not survivors(started, seconds=5)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(main.pid, signal.SIGKILL)
