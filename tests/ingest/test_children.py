"""How many children there are: as many as the work keeps busy, no more."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ingest.children import Children

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
    monkeypatch.setattr("ingest.children.SPARING", 30)  # however busy the machine is

    assert asked_at_once(children, abs, -1, 12) == [1] * 12
    assert len(children._idle) == 1


def test_work_that_takes_a_while_is_shared(children):
    asked_at_once(children, time.sleep, 0.6, 6)

    assert 2 <= len(children._idle) <= 3
