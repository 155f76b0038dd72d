"""Time, size and the number of connections are bounded, whatever the server does."""

import gzip
import time
import tracemalloc
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Lock

import brotli
import pytest

from ingest.fetching.client import ClientClosed
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failure, Fetched

MIB = 1024 * 1024
SHORT = {"deadline": timedelta(seconds=0.4), "read": timedelta(seconds=0.2)}


@pytest.fixture
def stop():
    event = Event()
    yield event
    event.set()


def dripping(start, stop):
    def drip(wfile):
        wfile.write(start)
        while not stop.wait(0.02):
            wfile.write(b"x")
            wfile.flush()

    return drip


def test_the_limit_is_ten_mebibytes(site, ask):
    site.reply("/fits", body=b"x" * 10 * MIB)
    site.reply("/does-not", body=b"x" * (10 * MIB + 1))

    assert isinstance(ask(site.url("/fits")), Fetched)
    assert ask(site.url("/does-not")).failure is Failure.TOO_LARGE


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_a_decompression_bomb_is_left_early(site, ask, coding):
    zeros = bytes(128 * MIB)
    bomb = gzip.compress(zeros, 1) if coding == "gzip" else brotli.compress(zeros, quality=1)
    del zeros
    site.reply("/feed", body=bomb, content_encoding=coding)

    tracemalloc.start()
    outcome = ask(site.url())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert outcome.failure is Failure.TOO_LARGE
    assert peak < 25 * MIB


def test_a_stream_that_unpacks_to_nothing_is_bounded_by_what_came(site, make_client, ask, stop):
    empty_block = b"\x00\x00\x00\xff\xff"  # RFC 1951 §3.2.4: a stored block of length 0

    def forever(wfile):
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\nConnection: close\r\n\r\n"
        wfile.write(head + zlib.compress(b"")[:2])
        while not stop.is_set():
            wfile.write(empty_block * 1000)

    site.reply("/feed", raw=forever)

    outcome = ask(site.url(), client=make_client(limits={"max_bytes": MIB}))

    assert outcome.failure is Failure.TOO_LARGE


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
    ],
)
def test_a_server_that_drips_is_left_at_the_deadline(site, make_client, ask, stop, start):
    site.reply("/feed", raw=dripping(start, stop))

    outcome = ask(site.url(), client=make_client(limits=SHORT))

    assert outcome.failure in {Failure.TIMEOUT, Failure.CONNECTION}
    if start:
        assert outcome.failure is Failure.TIMEOUT


def test_all_redirects_share_one_deadline(site, make_client, ask):
    def slowly(seen):
        time.sleep(0.15)
        return site.answer(302, location=f"/{int(seen.path[1:]) + 1}")

    for number in range(6):
        site.on(f"/{number}", slowly)
    limits = {"deadline": timedelta(seconds=0.4), "read": timedelta(seconds=5)}

    outcome = ask(site.url("/0"), client=make_client(limits=limits))

    assert outcome.failure is Failure.TIMEOUT
    assert len(site.seen) < 6


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"220 mail.acme.example ESMTP\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut short",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 20_000 + b"\r\n",
    ],
)
def test_an_answer_that_is_not_http_is_a_lost_connection(site, ask, answer):
    site.reply("/feed", raw=lambda wfile: wfile.write(answer))

    assert ask(site.url()).failure is Failure.CONNECTION


def test_a_host_is_asked_twice_at_a_time_at_most(site, make_client, now):
    busy, most, lock = [0], [0], Lock()

    def slowly(seen):
        with lock:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
        time.sleep(0.03)
        with lock:
            busy[0] -= 1
        return site.answer(body=b"<rss/>")

    site.on("/feed", slowly)
    client = make_client()

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(
            pool.map(lambda _: fetch(client, site.url(), now=now, accept="*/*"), range(12))
        )

    assert {type(outcome) for outcome in outcomes} == {Fetched}
    assert most == [2]


def test_waiting_for_a_slot_does_not_count_as_the_vendors_time(site, make_client, now):
    def slowly(seen):
        time.sleep(0.1)
        return site.answer(body=b"<rss/>")

    site.on("/feed", slowly)
    limits = {"deadline": timedelta(seconds=0.5), "connections_per_host": 1}
    client = make_client(limits=limits)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(
            pool.map(lambda _: fetch(client, site.url(), now=now, accept="*/*"), range(8))
        )

    assert {type(outcome) for outcome in outcomes} == {Fetched}


def test_closing_the_client_ends_a_fetch_that_waits(site, make_client, now, stop):
    """A stop of ours is not held against the vendor, and does not take the vendor's time."""
    client, asked = make_client(), Event()
    site.on("/feed", lambda _: asked.set() or site.answer(302, location="/silent"))
    site.reply("/silent", raw=lambda _: stop.wait(60))

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(fetch, client, site.url(), now=now, accept="*/*")
        asked.wait(5)
        time.sleep(0.05)
        client.close()
        with pytest.raises(ClientClosed):
            waiting.result(timeout=5)
