"""changewire mcp, asked by the protocol's public inspector in its command-line mode."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from specimen.node import node_programs

from service.tools.calls import CALLS

WANTED = Path(__file__).parent / "package.json"
LONGEST = 300
"""Seconds that a call may take."""


@pytest.fixture(scope="session")
def inspector():
    """The inspector's program, installed if it is not there yet."""
    return node_programs(WANTED, Path(os.environ["CHANGEWIRE_INSPECTOR"])) / "mcp-inspector"


@pytest.fixture
def inspect(inspector, served, tmp_path):
    """Ask for one thing: ``inspect("tools/list", "--flag", "value")`` gives status and answer."""
    program = tmp_path / "changewire"
    program.write_text(
        f'#!/bin/sh\nexec {sys.executable} -c "from service.cli import main; main()" "$@"\n'
    )
    program.chmod(0o755)

    def inspect(method, *arguments, key="diffs"):
        settings = (f"CHANGEWIRE_API_URL={served.url}", f"CHANGEWIRE_API_KEY={served.keys[key]}")
        done = subprocess.run(
            [
                *(inspector, "--cli", program, "mcp"),
                *("-e", settings[0], "-e", settings[1]),
                *("--method", method, *arguments),
            ],
            capture_output=True,
            text=True,
            timeout=LONGEST,
            cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path), "NO_COLOR": "1"},
        )
        assert done.stdout, done.stderr
        return done.returncode, json.loads(done.stdout)

    return inspect


def test_the_tools_are_listed(inspect):
    status, found = inspect("tools/list")

    assert status == 0
    assert [tool["name"] for tool in found["tools"]] == [*CALLS][:-1]  # requests need a flag
    assert all(tool["annotations"]["readOnlyHint"] for tool in found["tools"])


def test_a_tool_answers_in_the_shape_it_announced(inspect):
    arguments = ("--tool-arg", 'sources=["acme.storage"]', "--tool-arg", "limit=2")

    status, found = inspect("tools/call", "--tool-name", "get_entries", *arguments)

    assert status == 0
    assert [item["source"] for item in found["structuredContent"]["items"]] == ["acme.storage"] * 2
    assert found["structuredContent"]["next_offset"] == 2
