"""The suite on somebody else's implementation, which is sound and chooses otherwise."""

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from stranger import DEAD_KEY, KEYS, Stranger

from conformance.suite import Options, run


def shown(report):
    return [
        (finding.check, finding.operation, [one.fault.sentence for one in finding.faults])
        for finding in report.findings
    ]


@pytest.mark.slow
def test_nothing_is_found_at_a_sound_stranger_that_the_specification_does_not_say(started_at):
    options = Options(max_examples=3, decisions=False, allow_writes=True, dead_keys=(DEAD_KEY,))
    report = run(Stranger(started_at), list(KEYS), now=started_at, options=options)

    assert shown(report) == []
    assert report.unseen == ()
    assert {result.operation for result in report.results if result.group == "contract"} >= {
        "GET /sources", "GET /entries", "GET /diffs", "GET /latest", "POST /sources/request",
    }  # fmt: skip


@pytest.mark.slow
def test_what_this_project_decided_is_another_matter(started_at):
    report = run(Stranger(started_at), list(KEYS), now=started_at, options=Options(max_examples=0))

    assert {finding.check for finding in report.findings} >= {
        "unknown-parameters-are-refused",
        "an-unchanged-answer-is-304",
        "sources-come-in-the-order-of-slugs",
    }
    assert all(finding.origin.startswith("docs/") for finding in report.findings)


def test_a_fault_of_a_stranger_is_found_by_the_specification_alone(started_at):
    stranger = Stranger(started_at)
    for source in stranger._sources[100:101]:
        source["tags"] = "tools"
    options = Options(max_examples=0, decisions=False)
    report = run(stranger, ["strg_full"], now=started_at, options=options)

    assert "sources-have-their-fields" in {finding.check for finding in report.findings}


@pytest.fixture
def served(started_at) -> Iterator[str]:
    """The stranger behind a server that is not ours."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        Stranger(started_at), http="h11", log_level="critical", timeout_keep_alive=5
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@pytest.mark.slow
def test_raw_requests_find_nothing_at_a_sound_stranger(served, started_at):
    options = Options(max_examples=0, decisions=False)
    report = run(served, ["strg_full"], now=started_at, options=options)

    assert shown(report) == []
    assert {result.outcome for result in report.results if result.group == "wire"} == {"passed"}
