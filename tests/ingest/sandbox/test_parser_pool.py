"""Parsing in children: deadlines, memory, crashes, threads."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import jail_jobs
import pytest
from process_tree import descendants, survivors

from changelog_reader.adapters.base import ParsedDocument, UnreadableDocument
from ingest.fetching.outcomes import Fetched
from ingest.sandbox.documents import read_document
from ingest.sandbox.parser_pool import NICENESS, ParserPool
from ingest.sandbox.parsing import ParserCrash, ParserTimeout
from ingest.sandbox.process_pool import PoolStopped
from openapi.vocabulary import AdapterType

pytestmark = pytest.mark.slow

ADDRESS = "https://acme.example/feed.xml"
FEED = (
    b'<rss version="2.0"><channel><title>Acme</title><item><title>One</title><guid>1</guid>'
    b"<pubDate>Tue, 30 Jun 2026 14:00:00 GMT</pubDate></item></channel></rss>"
)
JOBS = ("jail_jobs",)
NICEST = 19  # what the kernel allows, also for the children of a process that is nice itself
ENDLESS = b"<rss>" + b"<a>" * 400_000  # as deep as no parser likes it


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(modules=JOBS, workers=2, deadline=timedelta(seconds=2)) as shared:
        yield shared


def parse(pool: ParserPool, body: bytes, *, is_suspect: bool = False) -> ParsedDocument:
    return pool.parse(AdapterType.RSS, Fetched(body, None, ADDRESS), is_suspect=is_suspect)


def ticks(pid: int) -> int:
    """Processor time that a process has used itself, in the kernel's ticks."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])


def test_a_document_is_the_same_as_parsed_here(pool):
    assert parse(pool, FEED) == read_document(AdapterType.RSS, FEED, ADDRESS, None)


def test_a_document_that_takes_too_long_fails_and_the_next_is_parsed(pool):
    with pytest.raises(ParserTimeout, match=r"^Parsing the document took more than 2 s\.$"):
        parse(pool, ENDLESS)

    assert len(parse(pool, FEED).entries) == 1


def test_a_document_that_needs_too_much_memory_fails_and_the_next_is_parsed():
    with ParserPool(modules=JOBS, workers=1, memory_limit=200 * 1024 * 1024) as small:
        with pytest.raises(ParserCrash):
            parse(small, "<rss><item><title>🌍".encode() + b"x" * 10_000_000)

        assert len(parse(small, FEED).entries) == 1


def test_a_parser_that_dies_is_replaced():
    with ParserPool(modules=JOBS, workers=1, deadline=timedelta(seconds=30)) as single:
        child = single.run(jail_jobs.process_id, is_suspect=True)
        used = ticks(child)
        with ThreadPoolExecutor(1) as thread:
            parsing = thread.submit(single.run, jail_jobs.total, 10**12, is_suspect=True)
            while ticks(child) < used + 5:
                time.sleep(0.01)
            os.kill(child, signal.SIGKILL)

            with pytest.raises(ParserCrash, match=r"^The parser died while it parsed the document"):
                parsing.result(timeout=20)

        assert len(parse(single, FEED, is_suspect=True).entries) == 1


def test_a_child_that_dies_while_it_is_idle_is_replaced_unnoticed():
    with ParserPool(modules=JOBS, workers=1) as single:
        (child,) = {single.run(jail_jobs.process_id) for _ in range(3)}
        os.kill(child, signal.SIGKILL)
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)

        assert len(parse(single, FEED).entries) == 1
        assert single.run(jail_jobs.process_id) != child


def test_a_child_is_replaced_after_its_share(monkeypatch):
    monkeypatch.setattr("ingest.sandbox.process_pool.RECYCLE_AFTER", 2)
    with ParserPool(modules=JOBS, workers=1) as single:
        pids = [single.run(jail_jobs.process_id) for _ in range(6)]

    assert [pids[0] == pids[1], pids[2] == pids[3], pids[4] == pids[5]] == [True] * 3
    assert len(set(pids)) == 3


def test_an_unexpected_error_of_an_adapter_is_a_parser_crash(monkeypatch):
    def fails(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
        raise KeyError(address)

    monkeypatch.setattr("ingest.sandbox.documents.ADAPTERS", {AdapterType.RSS: fails})

    with pytest.raises(ParserCrash, match=r"^The parser failed with KeyError\.$"):
        read_document(AdapterType.RSS, FEED, ADDRESS, None)


def test_hostile_documents_do_not_keep_good_ones_from_being_parsed(pool):
    def outcome(body: bytes) -> int | str:
        try:
            return len(parse(pool, body).entries)
        except UnreadableDocument as refusal:
            return type(refusal).__name__

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(outcome, [ENDLESS, FEED, FEED, FEED, FEED]))

    assert found == ["ParserTimeout", 1, 1, 1, 1]


def test_slow_documents_leave_the_children_to_the_others_and_give_way():
    with ParserPool(modules=JOBS, workers=1, deadline=timedelta(seconds=60)) as single:
        parse(single, FEED)
        with ThreadPoolExecutor(2) as threads:
            slow = [threads.submit(parse, single, ENDLESS) for _ in range(2)]
            until = time.monotonic() + 30
            while not any(map(gives_way, descendants(os.getpid()))):
                assert time.monotonic() < until
                time.sleep(0.02)

            assert len(parse(single, FEED).entries) == 1
            assert not any(each.done() for each in slow)
            single.close()


def test_a_suspect_is_parsed_by_the_child_that_gives_way():
    with ParserPool(modules=JOBS, workers=1) as single:
        suspects = single.run(jail_jobs.niceness, is_suspect=True)
        usual = single.run(jail_jobs.niceness)

    assert suspects == min(usual + NICENESS, NICEST)


def gives_way(pid: int) -> bool:
    own = os.getpriority(os.PRIO_PROCESS, 0)
    with suppress(ProcessLookupError):  # a child that was ended since it was listed
        return os.getpriority(os.PRIO_PROCESS, pid) == min(own + NICENESS, NICEST)
    return False


def test_children_die_with_a_parent_that_is_killed(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from datetime import timedelta\n"
        "from ingest.fetching.outcomes import Fetched\n"
        "from ingest.sandbox.parser_pool import ParserPool\n"
        "from openapi.vocabulary import AdapterType\n"
        "if __name__ == '__main__':\n"
        "    pool = ParserPool(workers=1, deadline=timedelta(minutes=5))\n"
        f"    pool.parse(AdapterType.RSS, Fetched({FEED!r}, None, 'x'))\n"
        "    print('ready', flush=True)\n"
        "    body = b'<rss>' + b'<a>' * 2_000_000\n"
        "    pool.parse(AdapterType.RSS, Fetched(body, None, 'x'))\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"ready\n"
        children = descendants(parent.pid)
        time.sleep(0.3)
        parent.kill()

    assert children
    assert not survivors(children, seconds=20)


def test_closing_ends_the_wait_and_the_children():
    waiting = ParserPool(modules=JOBS, workers=1, deadline=timedelta(seconds=60))
    parse(waiting, FEED)
    with ThreadPoolExecutor(1) as thread:
        parsing = thread.submit(parse, waiting, ENDLESS)
        time.sleep(0.2)
        waiting.close()

        with pytest.raises(PoolStopped):
            parsing.result(timeout=20)

    with pytest.raises(PoolStopped):
        parse(waiting, FEED)
