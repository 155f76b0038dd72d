"""changewire follow and deadlines: live, resumed after kills, and what is due."""

import json
import os
import subprocess
import sys
import time

import pytest
from specimen.serving import CHANGEWIRE

from service.reader.position import FollowPosition

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


def test_nothing_is_lost_by_kills_and_at_most_the_line_in_hand_comes_again(following):
    seen = []
    for lines in (1, 130, 250):
        process = following(stdout=subprocess.PIPE, text=True)
        read = [process.stdout.readline() for _ in range(lines)]
        process.kill()
        read += process.stdout.read().splitlines(keepends=True)
        process.stdout.close()
        process.wait(timeout=30)
        new = ids_of("".join(line for line in read if line.endswith("\n")))
        assert len(set(seen) & set(new)) <= 1
        seen += new
    done = following("--once", stdout=subprocess.PIPE, text=True)
    rest, _ = done.communicate(timeout=60)

    assert len({*seen, *ids_of(rest)}) == EVERYTHING


def test_into_a_file_every_line_comes_once_whenever_it_is_killed(following, tmp_path):
    file = tmp_path / "changes.jsonl"
    for size in (1, 150_000, 300_000):
        with file.open("ab") as output:
            process = following(stdout=output)
            until = time.monotonic() + 60
            while file.stat().st_size < size and time.monotonic() < until:
                time.sleep(0.001)
            process.kill()
            process.wait(timeout=30)
    with file.open("ab") as output:
        assert following("--once", stdout=output).wait(timeout=60) == 0

    ids = ids_of(file.read_text())
    assert len(ids) == len(set(ids)) == EVERYTHING


@pytest.mark.parametrize("printed", range(0, 13, 3))
def test_what_a_file_lacks_of_a_page_is_printed_first(tmp_path, printed):
    page = {"next": "b", "output": 4, "lines": ["one", "two", "six"]}
    (tmp_path / "place").write_text(f"a\n{json.dumps(page)}\n")
    (tmp_path / "out").write_text("old\n" + "one\ntwo\nsix\n"[:printed])
    code = (
        "from pathlib import Path; from service.reader.position import FollowPosition\n"
        "place = FollowPosition(Path('place'), None)\n"
        "place.resume(); place.print_page(['new'], 'c')"
    )
    with (tmp_path / "out").open("ab") as output:
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, stdout=output, check=True)

    assert (tmp_path / "out").read_text() == "old\none\ntwo\nsix\nnew\n"
    assert (tmp_path / "place").read_text() == "c\n"


def test_of_a_pipe_the_lines_are_counted(tmp_path, capsysbinary):
    page = {"next": "b", "output": None, "lines": ["one", "two", "six"]}
    (tmp_path / "place").write_text(f"a\n{json.dumps(page)}\n..")
    place = FollowPosition(tmp_path / "place", None)
    place.resume()

    assert capsysbinary.readouterr().out == b"six\n"
    assert place.cursor == "b"


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


def test_a_key_that_is_refused_ends_it(run, served):
    status, _, err = run("follow", "--url", served.url, "--api-key", "cw_no")

    assert status == 1
    assert "not valid" in err


def test_deadlines_are_listed_by_their_day(run, scripted):
    page = {"total": 2, "limit": 100, "offset": 0}
    page["items"] = [deadline("acme.compute", "2026-12-01"), deadline("globex.mail", "2027-01-31")]
    server = scripted((200, page), (200, page))

    _, plain, _ = run("deadlines", "--url", server.url, "--source", "globex.mail")
    status, out, _ = run("deadlines", "--url", server.url, "--limit", "1", "--json")

    assert status == 0
    assert plain.splitlines()[0] == "  1  2027-01-31  globex.mail  end of life"
    assert "acme." not in plain
    assert [item["from"] for item in json.loads(out)["items"]] == ["2026-12-01"]


def deadline(source, day):
    entry = {"id": source, "source": source, "title": "Version 1 ends"}
    return {"kind": "end_of_life", "from": day, "to": day, "text": f"ends {day}", "entry": entry}


@pytest.mark.parametrize(
    ("command", "heading"),
    [("source", "For the operator"), ("follow", "Example: changewire follow")],
)
def test_the_help_says_whose_command_it_is(run, command, heading):
    _, out, _ = run(command, "--help")

    assert heading in out
