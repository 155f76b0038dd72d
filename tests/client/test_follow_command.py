"""changewire follow and deadlines: live, resumed after kills, and what is due."""

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from specimen.serving import CHANGEWIRE

pytestmark = pytest.mark.slow

EVERYTHING = 480


def ids_of(out):
    return [json.loads(line)["entry"]["id"] for line in out.splitlines()]


def test_everything_is_printed_once_and_then_only_what_is_new(run, served, tmp_path):
    place = ("--resume", str(tmp_path / "place"), "--once", "--json")
    key = ("--url", served.url, "--api-key", served.keys["all"])

    status, first, _ = run("follow", *key, *place, "--beginning")
    _, second, _ = run("follow", *key, *place, "--beginning")

    assert status == 0
    assert len(ids_of(first)) == len(set(ids_of(first))) == EVERYTHING
    assert second == ""


@pytest.fixture
def following(served, tmp_path):
    """The command as a process that keeps its place: ``following(stdout=…)``."""
    command = [*CHANGEWIRE, "follow", "--resume", "place", "--beginning"]
    environment = {
        **os.environ,
        "CHANGEWIRE_API_URL": served.url,
        "CHANGEWIRE_API_KEY": served.keys["all"],
    }

    def following(*options, **more):
        return subprocess.Popen(
            [*command, "--json", *options], cwd=tmp_path, env=environment, **more
        )

    return following


def test_nothing_is_lost_by_kills(following):
    seen = []
    for lines in (1, 250):
        process = following(stdout=subprocess.PIPE, text=True)
        read = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        read += process.stdout.read().splitlines(keepends=True)
        process.stdout.close()
        process.wait(timeout=30)
        seen += ids_of("".join(line for line in read if line.endswith("\n")))
    done = following("--once", stdout=subprocess.PIPE, text=True)
    rest, _ = done.communicate(timeout=60)

    assert len({*seen, *ids_of(rest)}) == EVERYTHING


def test_the_cursor_of_changes_that_could_not_be_printed_is_not_kept(following, tmp_path):
    with Path("/dev/full").open("wb") as full:
        process = following("--once", stdout=full, stderr=subprocess.PIPE, text=True)
        _, told = process.communicate(timeout=60)

    assert (process.returncode, told) == (
        1,
        "changewire: The changes cannot be printed: No space left on device.\n",
    )
    assert not (tmp_path / "place").exists()


def test_it_waits_for_what_is_new_and_goes_on_after_the_service_was_away(
    run, scripted, monkeypatch, tmp_path
):
    entry = {
        "id": "1",
        "source": "acme.compute",
        "title": "\x1b[2JNew",
        "published_at": "2026-11-23T10:00:00Z",
    }
    page = {"items": [{"change": "new", "entry": entry}], "next": "cur", "more": False}
    away = {"error": "No.", "code": "unavailable", "message": "Not now."}
    server = scripted((503, away), (503, away), (200, page), (503, away))
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) > 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", sleep)
    place = tmp_path / "place"
    status, out, err = run(
        "follow", "--url", server.url, "--api-key", "cw_1", "--resume", str(place)
    )

    assert status == 0
    assert out == "2026-11-23 10:00  new  acme.compute  [2JNew\n"
    assert "Not now. Trying again in 1 second." in err
    assert place.read_text() == "cur\n"


def test_deadlines_name_what_ends_and_what_follows(run, scripted):
    entry = {"id": "1", "source": "globex.mail", "title": "Version 1 ends"}
    day = {"kind": "end_of_life", "from": "2027-01-31", "to": "2027-01-31", "entry": entry}
    named = [("mail v1", "mail v2"), ("mail v1", None), (None, None)]
    items = [{**day, "subject": subject, "successor": new} for subject, new in named]
    server = scripted((200, {"total": 3, "limit": 100, "offset": 0, "items": items}))

    status, table, _ = run("deadlines", "--url", server.url)

    rows = [line.rstrip().rpartition("\t")[2] for line in table.splitlines()[1:]]
    assert (status, rows) == (0, ["mail v1 → mail v2", "mail v1", "Version 1 ends"])
