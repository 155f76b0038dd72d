"""The programs of docs/client.md, run as they stand there against the running service."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MANUAL = Path(__file__).parents[2] / "docs" / "client.md"
RECIPE = re.compile(r"^### (\d+)\. [^\n]+\n[^#]*?```python\n(.*?)```", re.MULTILINE | re.DOTALL)
RECIPES = {int(number): code for number, code in RECIPE.findall(MANUAL.read_text())}
FIRST = MANUAL.read_text().partition("```python\n")[2].partition("```")[0]


@pytest.fixture
def cook(served, tmp_path):
    """Run a recipe with a key: ``cook(1)`` gives what it printed; with ``status`` its complaint."""

    def cook(recipe, key="diffs", *, status=0, **environment):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", RECIPES.get(recipe, recipe)],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env={
                **os.environ,
                "HOME": str(tmp_path),
                "CHANGEWIRE_API_URL": served.url,
                "CHANGEWIRE_API_KEY": served.keys[key],
                **environment,
            },
        )
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return cook


def test_the_first_program_reads_entries(cook):
    assert cook(FIRST, "free").count("removed version") == 2


def test_unwell_sources_are_named(cook):
    assert cook(1, "free").split() == [
        *("acme.compute", "unknown", "acme.storage", "unknown", "globex.compute", "unknown"),
    ]


def test_breaking_changes_of_the_stack_are_named(cook):
    lines = cook(2).splitlines()

    assert {line.split()[0] for line in lines} == {"acme.compute", "globex.compute"}
    assert 15 < len(lines) < 25


def test_nothing_is_missed_and_nothing_comes_twice(cook, tmp_path):
    first, second = cook(3, "free").splitlines(), cook(3, "free")

    assert len(first) == len({line.rpartition(" removed")[0] for line in first}) == 240
    assert second == ""
    assert (tmp_path / "changewire.cursor").exists()


def test_the_digest_has_a_chapter_for_each_source(cook):
    digest = cook(4, "free")

    assert re.findall(r"^## (.+)$", digest, re.MULTILINE) == [
        "acme.compute",
        "acme.storage",
        "globex.compute",
    ]
    assert digest.count("\n- ") > 60


def test_slack_gets_one_message(cook, scripted):
    slack = scripted((200, b"ok"))

    assert cook(5, SLACK_WEBHOOK_URL=slack.url) == "Sent 5\n"
    message = json.loads(slack.requests[0].body)
    assert message["text"].count("\n• *") == 5


def test_the_build_fails_before_an_end_of_life(cook):
    complaint = cook(6, status=1)

    assert complaint.startswith("End of life within 90 days:\n")
    assert "acme.storage: removed version 0" in complaint
    assert "acme.compute" not in complaint


def test_deadlines_are_a_table(cook):
    head, *rows = csv.reader(cook(7).splitlines())

    assert head == ["from", "to", "kind", "source", "title", "url"]
    assert len(rows) == 100
    assert {row[2] for row in rows} == {"end_of_life", "removal"}


def test_silent_edits_are_listed(cook):
    assert cook(8).endswith("Z 1 title_changed\n")


def test_the_next_poll_asks_whether_it_is_still_the_same(cook, scripted, tmp_path):
    entry = {"source": "acme.compute", "title": "New"}
    page = {"total": 1, "limit": 1, "offset": 0, "items": [entry]}
    server = scripted((200, page, {"ETag": '"one"'}), (304, b"", {"ETag": '"one"'}))

    printed = [cook(9, CHANGEWIRE_API_URL=server.url) for _ in range(2)]

    assert printed == ["acme.compute New\n"] * 2
    assert server.requests[1].headers["if-none-match"] == '"one"'


def test_what_is_missing_is_asked_for(cook):
    assert cook(10).endswith(" pending\n")
