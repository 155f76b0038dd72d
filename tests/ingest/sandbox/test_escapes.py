"""Code that a document has taken over stays in jail: what it tries, and the lies that it tells."""

import os
import subprocess
import sys
import time

import jail_escapes
import jail_jobs
import pytest

from ingest.sandbox.jail import missing_protections
from ingest.sandbox.process_pool import ProcessDied, ProcessPool
from ingest.sandbox.wire import BrokenFrame

LIMITS = {"cpu_seconds": 10, "seconds": 20, "patience": 60}
needs_jail = pytest.mark.skipif(
    bool(missing_protections()), reason=f"the kernel lacks {', '.join(missing_protections())}"
)


@pytest.fixture(scope="module")
def pool():
    made = ProcessPool(1, memory_limit=1 << 30, modules=("jail_escapes", "jail_jobs"))
    yield made
    made.stop()


@pytest.fixture
def secret(tmp_path):
    database = tmp_path / "changewire.db"
    database.write_text("everybody's addresses")
    return database


@needs_jail
@pytest.mark.parametrize("name", jail_escapes.ATTEMPTS)
def test_an_attempt_to_escape_fails(pool, secret, name, monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_GITHUB_TOKEN", "hidden")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")

    held = pool.call(jail_escapes.attempt, name, str(secret), **LIMITS)

    assert held != "escaped"
    assert list(secret.parent.iterdir()) == [secret]
    assert secret.read_text() == "everybody's addresses"


def test_the_attempts_succeed_outside_of_the_jail(secret):
    """Else the attempts would prove nothing."""
    tried = [
        "read the database",
        "append to the database",
        "write a file",
        "read the accounts of the machine",
        "send a datagram",
        "listen",
        "fork",
        "start a thread",
        "run a file of memory",
    ]
    code = (
        "import sys, jail_escapes\n"
        "for name in sys.argv[2:]: print(jail_escapes.attempt(name, sys.argv[1]))\n"
    )

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, secret, *tried],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.split() == ["escaped"] * len(tried)


@pytest.mark.parametrize("name", jail_escapes.LIES)
def test_a_lie_in_the_protocol_costs_the_child_its_life_and_the_parent_nothing(pool, name):
    with pytest.raises((BrokenFrame, ProcessDied, TimeoutError)):
        pool.call(jail_escapes.lie, name, cpu_seconds=5, seconds=1.5, patience=60)

    assert pool.call(jail_jobs.absolute, -1, **LIMITS) == 1


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "PoolStopped", "MemoryError2"])
def test_a_child_cannot_choose_what_its_parent_raises(pool, name):
    with pytest.raises(BrokenFrame) as failed:
        pool.call(jail_escapes.misname, name, **LIMITS)

    assert str(failed.value).startswith(f"{name}: lineline[31mxxx")
    assert len(str(failed.value)) < 600


def test_a_request_that_nobody_reads_ends_with_its_time():
    deaf = ProcessPool(1, memory_limit=1 << 30, modules=("jail_jobs",))
    try:
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            deaf.call(jail_jobs.sleep, 600, cpu_seconds=5, seconds=0.5, patience=5)

        assert time.monotonic() - start < 10
    finally:
        deaf.stop()
