"""changewire up --demo, as a newcomer starts it."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import httpx2
import pytest
from specimen.serving import CHANGEWIRE, free_port

pytestmark = pytest.mark.slow
STARTS_WITHIN = 300  # for a machine with much else to do; docs/performance.md has the time it takes


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def port():
    return free_port()


def started(home, port):
    """Start the demo; give its process and the file that it prints to."""
    command = [*CHANGEWIRE, "up", "--demo", "--port", str(port)]
    clean = {name: value for name, value in os.environ.items() if "CHANGEWIRE" not in name}
    environment = clean | {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    log = home / "log"
    with log.open("wb") as out:
        return subprocess.Popen(command, cwd=home, env=environment, stdout=out, stderr=out), log


def answers(port):
    try:
        return httpx2.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="module")
def demo(home, port):
    """Start the demo; give its process and what it printed when it was ready."""
    process, log = started(home, port)
    deadline = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < deadline and process.poll() is None:
        if "sign in" in log.read_text() and answers(port):
            break
        time.sleep(0.2)
    else:
        pytest.fail(log.read_text())
    yield process, log
    if process.poll() is None:
        process.kill()
        process.wait(30)


@pytest.fixture(scope="module")
def visitor(demo, port):
    with httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as browser:
        yield browser


def test_the_front_page_and_the_lists_have_something_to_show(visitor):
    for page in ("/", "/latest", "/important", "/deadlines", "/status", "/vendors/herondb"):
        assert visitor.get(page).status_code == 200, page
    assert "HeronDB" in visitor.get("/latest").text
    assert "In " in visitor.get("/deadlines").text or "in " in visitor.get("/deadlines").text


def test_the_printed_key_reads_entries_and_diffs(visitor, demo):
    key = re.search(r"a key +(cw_\w+)", demo[1].read_text())[1]
    headers = {"Authorization": f"Bearer {key}"}

    entries = visitor.get("/api/v1/entries?sources=herondb.server&limit=3", headers=headers)
    diffs = visitor.get("/api/v1/diffs?source=northlight.compute", headers=headers)

    assert len(entries.json()["items"]) == 3
    assert diffs.json()["items"]


def test_the_visitors_stack_breaks_somewhere(visitor, demo):
    _, log = demo
    key = re.search(r"cw_\w+", log.read_text()).group()

    answer = visitor.get("/api/v1/upgrades", params={"stack": 1}, headers={"X-Api-Key": key})

    items = [(item["part"], item.get("importance", {})) for item in answer.json()["items"]]
    broken = {part for part, why in items if "breaking" in why.get("categories", ())}
    assert broken == {"pkg:generic/herondb", "pkg:npm/wren-cms", "pkg:pypi/brasspay"}


def test_the_printed_link_signs_in(visitor, demo, port):
    link = re.search(r"sign in +(\S+)", demo[1].read_text())[1]
    page = visitor.get(link)
    form = dict(re.findall(r'name="(\w+)"\s+value="([^"]*)"', page.text))

    signed_in = visitor.post("/auth/confirm", data=form)

    assert signed_in.status_code == 303
    assert "ookups" not in visitor.get("/app/stack").raise_for_status().text


def ends(process, number, log):
    """Return whether a signal ends the demo and nothing of it is left."""
    process.send_signal(number)
    status = process.wait(60)
    left = [*log.parent.iterdir(), *Path("/dev/shm").glob(f"*demo-{process.pid}-*")]
    return (status, left) == (0, [log])


def test_it_ends_at_a_signal_and_leaves_nothing(demo):
    process, log = demo

    assert ends(process, signal.SIGINT, log), log.read_text()


def test_it_ends_with_its_terminal_while_it_still_reads(tmp_path, port):
    process, log = started(tmp_path, port)
    while "Loading two years" not in log.read_text() and process.poll() is None:
        time.sleep(0.05)

    assert ends(process, signal.SIGHUP, log), log.read_text()
    assert log.read_text().count("\n") == 1, log.read_text()
