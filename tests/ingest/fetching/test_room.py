"""Large documents are held by two threads at a time; small ones wait for nobody."""

import gzip
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import pytest

from ingest.fetching.client import LARGE_BYTES, PLACES, ClientClosed, NoRoom, Room
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import BEGINNING_BYTES, END_BYTES, Fetched

BOMB = gzip.compress(b"x" * (LARGE_BYTES + 1))


@pytest.fixture
def get(now):
    """Fetch an address with a client."""
    return lambda client, address: fetch(client, address, now=now, accept="*/*")


def test_who_finds_no_room_waits_until_a_place_is_given_back():
    room, closed, order = Room(places=1), Event(), []

    def other():
        with room.bounded():
            with pytest.raises(NoRoom):
                room.take()
            order.append("refused")
            room.wait(closed)
            order.append("in")

    with room.bounded():
        room.take()
        waiting = Thread(target=other)
        waiting.start()
        while not order:
            time.sleep(0.001)
        order.append("out")
    waiting.join()

    assert order == ["refused", "out", "in"]
    with room.bounded():
        room.take()


def test_many_large_documents_are_read_in_turn_and_a_small_one_at_once(site, make_client, get):
    client = make_client()
    for number in range(6):
        site.reply(f"/large/{number}", body=BOMB, content_encoding="gzip")
    site.reply("/small", body=b"<rss/>")
    held, let_go, most = [], Event(), []

    def check(path):
        with client.room.bounded():
            fetched = get(client, site.url(path))
            held.append(path)
            most.append(len(held))
            let_go.wait(10)
            held.remove(path)
            return len(fetched.body)

    with ThreadPoolExecutor(6) as threads:
        large = [threads.submit(check, f"/large/{number}") for number in range(6)]
        while len(held) < PLACES:
            time.sleep(0.01)
        small = get(client, site.url("/small"))
        let_go.set()
        sizes = [each.result(20) for each in large]

    assert small.body == b"<rss/>"
    assert sizes == [LARGE_BYTES + 1] * 6
    assert max(most) == PLACES


def test_who_waits_for_room_ends_with_the_client(site, make_client, get):
    client = make_client()
    site.reply("/large", body=BOMB, content_encoding="gzip")

    def check():
        with client.room.bounded():
            return get(client, site.url("/large"))

    with ThreadPoolExecutor(1) as threads, client.room.bounded():
        client.room.take()
        while client.room._free.acquire(blocking=False):
            pass  # nobody has room now
        waiting = threads.submit(check)
        while not site.seen:
            time.sleep(0.01)
        client.close()
        with pytest.raises(ClientClosed):
            waiting.result(10)
        for _ in range(PLACES - 1):
            client.room._free.release()


@pytest.mark.parametrize(
    ("length", "kept"),
    [
        (10, 10),
        (BEGINNING_BYTES + END_BYTES, BEGINNING_BYTES + END_BYTES),
        (10_000_000, BEGINNING_BYTES + END_BYTES),
    ],
)
def test_of_a_parsed_document_both_ends_are_kept(length, kept):
    body = bytes(range(256)) * (length // 256 + 1)
    whole = Fetched(body[:length], None, "https://acme.example/feed")

    short = whole.shortened().body

    assert len(short) == kept
    assert (short[:10], short[-10:]) == (whole.body[:10], whole.body[-10:])
