"""How many children a pool has, and whose code they run."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import jail_jobs
import pytest

from ingest.sandbox.process_pool import ProcessDied, ProcessPool

LIMITS = {"cpu_seconds": 30, "seconds": 60, "patience": 60}


@pytest.fixture
def pool():
    made = ProcessPool(3, memory_limit=1 << 30, modules=("jail_jobs",))
    yield made
    made.stop()


def call_at_once(pool, function, argument, times):
    with ThreadPoolExecutor(times) as threads:
        calls = [threads.submit(pool.call, function, argument, **LIMITS) for _ in range(times)]
        return [call.result(timeout=120) for call in calls]


def children():
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that ended since it was listed
            found.update((task / "children").read_text().split())
    return found


def test_requests_one_after_the_other_share_one_child(pool):
    assert len({pool.call(jail_jobs.process_id, **LIMITS) for _ in range(8)}) == 1


def test_requests_at_the_same_time_are_shared_by_as_many_children_as_are_allowed(pool):
    before = children()

    call_at_once(pool, jail_jobs.sleep, 1.2, 6)

    assert 2 <= len(children() - before) <= 3


def test_what_a_function_prints_does_not_get_between_the_results(pool):
    assert pool.call(jail_jobs.say, "noise", **LIMITS) is None
    assert pool.call(jail_jobs.absolute, -1, **LIMITS) == 1


def test_an_exception_that_a_pool_expects_is_raised_as_itself():
    strict = ProcessPool(1, memory_limit=1 << 30, modules=("jail_jobs",), raises=(ValueError,))
    try:
        with pytest.raises(ValueError, match="invalid literal"):
            strict.call(jail_jobs.number_of, "one", **LIMITS)
    finally:
        strict.stop()


def test_a_child_that_uses_up_its_processor_time_is_killed_and_replaced(pool):
    with pytest.raises(ProcessDied):
        pool.call(jail_jobs.total, 10**12, cpu_seconds=0.1, seconds=60, patience=60)

    assert pool.call(jail_jobs.absolute, -1, **LIMITS) == 1


def run_program(program, *, cwd=None):
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


PROGRAM = (
    "from ingest.sandbox.process_pool import ProcessPool\n"
    "import jail_jobs\n"
    "pool = ProcessPool(1, memory_limit=1 << 30, modules=('jail_jobs',))\n"
    "print(pool.call(jail_jobs.absolute, -1, cpu_seconds=30, seconds=60, patience=60))\n"
)


def test_ctrl_c_does_not_reach_the_children(pool):
    assert pool.call(jail_jobs.process_group, **LIMITS) != os.getpgrp()


def test_files_in_the_current_folder_are_no_code_of_the_children(tmp_path):
    (tmp_path / "ingest").mkdir()
    (tmp_path / "ingest" / "__init__.py").write_text("raise SystemExit('not ours')")
    program = "import sys; sys.path.pop(0)\n" + PROGRAM + "pool.stop()\n"

    assert run_program(program, cwd=tmp_path) == ("1\n", "")
