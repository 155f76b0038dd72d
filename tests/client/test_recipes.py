"""The programs of docs/client.md, run as they stand there against the running service."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from client import Client
from client.operations import Operations

pytestmark = pytest.mark.slow

MANUAL = Path(__file__).parents[2] / "docs" / "client.md"
RECIPE = re.compile(r"^### (\d+)\. [^\n]+\n[^#]*?```python\n(.*?)```", re.MULTILINE | re.DOTALL)
RECIPES = {int(number): code for number, code in RECIPE.findall(MANUAL.read_text())}
FIRST = MANUAL.read_text().partition("```python\n")[2].partition("```")[0]


@pytest.fixture
def cook(served, tmp_path):
    """Run a recipe with a key: ``cook(1)`` gives what it printed; with ``status`` its complaint."""

    def cook(recipe, key="diffs", *, status=0, **environment):
        command = [sys.executable, "-W", "error", "-c", RECIPES.get(recipe, recipe)]
        known = {"HOME": str(tmp_path), "CHANGEWIRE_API_URL": served.url}
        known |= {"CHANGEWIRE_API_KEY": served.keys[key], **environment}
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env=os.environ | known,
        )
        assert done.returncode == status, done.stderr
        return done.stderr if status else done.stdout

    return cook


def test_the_table_has_every_method():
    table = MANUAL.read_text().partition("| method |")[2].partition("\n\n")[0]
    methods = {name for name in vars(Client) | vars(Operations) if not name.startswith("_")}

    assert methods - {"base_url", "close", "has_key"} == set(re.findall(r"`(\w+)\(", table))


@pytest.mark.parametrize(
    ("recipe", "key", "printed"),
    [
        (FIRST, "free", r"removed version"),
        (1, "free", r"^acme\.compute\s+unknown"),
        (2, "diffs", r"^globex\.compute .*removed version"),
        (4, "free", r"^## acme\.storage$[^#]+^## globex\.compute$"),
        (7, "diffs", r"Z acme\.compute/002 title_changed$"),
        (9, "diffs", r" pending$"),
    ],
    ids=["the first", "unwell", "breaking", "digest", "edits", "request"],
)
def test_a_program_prints_what_it_is_for(cook, recipe, key, printed):
    output = cook(recipe, key).replace("\r", "")

    assert re.search(printed, output, re.MULTILINE), output


def test_nothing_is_missed_and_nothing_comes_twice(cook, tmp_path):
    first, second = cook(3, "free").splitlines(), cook(3, "free")

    assert len(first) == len({line.rpartition(" removed")[0] for line in first}) == 240
    assert second == ""
    assert (tmp_path / "changewire.cursor").exists()


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


def test_the_next_poll_asks_whether_it_is_still_the_same(cook, scripted, tmp_path):
    entry = {"source": "acme.compute", "title": "New"}
    page = {"total": 1, "limit": 1, "offset": 0, "items": [entry]}
    server = scripted((200, page, {"ETag": '"one"'}), (304, b"", {"ETag": '"one"'}))

    printed = [cook(8, CHANGEWIRE_API_URL=server.url) for _ in range(2)]

    assert printed == ["acme.compute New\n"] * 2
    assert server.requests[1].headers["if-none-match"] == '"one"'
