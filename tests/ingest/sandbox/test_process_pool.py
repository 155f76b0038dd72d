"""How many children there are, as many as the work keeps busy; whose code they run."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ingest.sandbox.process_pool import Children

MEMORY = 1 << 30


@pytest.fixture
def children():
    made = Children(3, memory_limit=MEMORY)
    yield made
    made.stop()


def asked_at_once(children, function, argument, times):
    with ThreadPoolExecutor(times) as pool:
        asked = [
            pool.submit(children.ask, (function, argument), seconds=30, patience=30)
            for _ in range(times)
        ]
        return [each.result(timeout=60) for each in asked]


def test_work_that_is_soon_done_is_done_by_one_child(children, monkeypatch):
    monkeypatch.setattr("ingest.sandbox.process_pool.SPARING", 30)  # however busy the machine is

    assert asked_at_once(children, abs, -1, 12) == [1] * 12
    assert len(children._idle) == 1


def test_work_that_takes_a_while_is_shared(children):
    asked_at_once(children, time.sleep, 0.6, 6)

    assert 2 <= len(children._idle) <= 3


def said(program, *, cwd=None):
    """Run a program of Python; return what it wrote to its output and to its errors."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.stdout, done.stderr


def test_a_child_takes_one_program_beside_it():
    program = (
        "import os\n"
        "from ingest.sandbox.process_pool import Children\n"
        "children = Children(1, memory_limit=1 << 30)\n"
        "children.ask((abs, -1), seconds=30, patience=30)\n"
        "me = os.getpid()\n"
        "print(len(open(f'/proc/{me}/task/{me}/children').read().split()))\n"
        "children.stop()\n"
    )

    assert said(program) == ("1\n", "")


def test_what_lies_in_the_folder_of_the_command_is_no_code_of_the_children(tmp_path):
    (tmp_path / "ingest").mkdir()
    (tmp_path / "ingest" / "__init__.py").write_text("raise SystemExit('not ours')")
    program = (
        "import sys; sys.path.pop(0)\n"
        "from ingest.sandbox.process_pool import Children\n"
        "children = Children(1, memory_limit=1 << 30)\n"
        "print(children.ask((abs, -1), seconds=30, patience=30))\n"
        "children.stop()\n"
    )

    assert said(program, cwd=tmp_path) == ("1\n", "")
