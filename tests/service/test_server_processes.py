"""The server's processes stand on their own feet: what its parent does leaves no trace in them."""

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta

import httpx2
import pytest
from connexion_passages import observed_servers
from process_tree import descendants, survivors
from specimen.serving import CHANGEWIRE, listening, wait_for

pytestmark = pytest.mark.slow


def test_what_is_served_is_the_site_of_the_env_file_at_the_address_of_the_command(
    tmp_path, empty_database_file, unused_port
):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
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

    assert f"Serving https://acme.example, listening at {here};" in log.read_text()


@pytest.fixture
def silent():
    """A mail server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        yield server


def ask_for_a_link(here):
    """Ask for a sign-in link as a browser does."""
    with httpx2.Client(base_url=here) as browser:
        token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get("/auth/login").text)[1]
        form = {"csrf_token": token, "email": "ada@acme.example"}
        assert browser.post("/auth/login", data=form).status_code == 303


def test_a_mail_that_hangs_at_its_server_does_not_keep_the_service_from_stopping(
    tmp_path, empty_database_file, unused_port, silent
):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    (tmp_path / ".env").write_text(
        f"CHANGEWIRE_DATABASE_URL=sqlite:///{tmp_path}/changewire.db\n"
        f"CHANGEWIRE_SMTP_URL=smtp://127.0.0.1:{silent.getsockname()[1]}\n"
    )
    command = [*CHANGEWIRE, "serve", "--port", str(unused_port)]

    with listening(command, unused_port, "/readyz", tmp_path / "log") as here:
        ask_for_a_link(here)
        held, _ = silent.accept()
        began = time.monotonic()
    took = time.monotonic() - began
    held.close()

    assert took < 15  # else it was killed
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()[1:]]
    stopping, given_up = (
        datetime.fromisoformat(line["timestamp"])
        for line in lines
        if line["event"]
        in ("StreamableHTTP session manager shutting down", "did not wait for the mail server")
    )  # the log's own times, since all else of stopping takes longer under load
    assert given_up - stopping < timedelta(seconds=4)


STARTERS = {
    "the demo, with a worker": ("up", "--demo"),
    "several server processes": ("serve", "--workers", "3"),
}


@pytest.mark.parametrize("arguments", STARTERS.values(), ids=STARTERS)
def test_a_killed_main_process_leaves_no_process_and_frees_the_port(
    arguments, tmp_path, empty_database_file, unused_port
):
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
    with socket.create_server(("127.0.0.1", unused_port)):
        pass
