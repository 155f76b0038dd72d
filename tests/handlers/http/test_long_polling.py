"""Requests that wait: until when, how many of them, and what ends them (docs/decisions/0041)."""

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import event

from handlers.api.application import create_api
from handlers.threads import THREADS
from handlers.waiters import INTERVAL_SECONDS, LONGEST_SECONDS, Waiters

HOUR = timedelta(hours=1)
SOON = 5 * INTERVAL_SECONDS  # a machine that is busy needs longer than an interval


class Waiting:
    """A service, and requests to it that may wait."""

    def __init__(self, services, key):
        self.waiters = services.waiters
        self._api = create_api(services)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in key.items()]
        self._headers.append((b"host", b"127.0.0.1:8080"))

    async def get(self, query, *, gone=None):
        """Return the JSON of the response, None where there is none."""
        messages, is_open = [], asyncio.Event()
        received = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive():
            if received:
                return received.pop()
            await (gone or is_open).wait()
            return {"type": "http.disconnect"}

        async def send(message):
            messages.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/changes",
            "query_string": query.encode(),
            "headers": self._headers,
        }
        await self._api(scope, receive, send)
        body = b"".join(message.get("body", b"") for message in messages)
        return json.loads(body) if messages else None

    async def until(self, number):
        """Wait until as many requests wait."""
        while self.waiters.count != number:
            await asyncio.sleep(0.01)


@pytest.fixture
def waiting(services, new_key):
    """A service, and an account that may read everything; ``waiting(most=…)``."""

    def waiting(**bounds):
        return Waiting(replace(services, waiters=Waiters(**bounds)), new_key())

    return waiting


@pytest.fixture
def end(waiting, publish):
    """The cursor after what is published at the beginning of a test."""
    publish("acme.mail", a=HOUR)
    return asyncio.run(waiting().get("after=now"))["next"]


def test_it_is_answered_as_soon_as_there_is_something(waiting, end, publish):
    async def scenario():
        service = waiting()
        request = asyncio.create_task(service.get(f"after={end}&wait=25"))
        await service.until(1)
        await asyncio.to_thread(publish, "hooli.mail", b=HOUR)
        return await asyncio.wait_for(request, SOON)

    assert [item["entry"]["title"] for item in asyncio.run(scenario())["items"]] == ["b"]


@pytest.mark.parametrize(
    ("filter_", "others", "meant"),
    [
        ("sources=acme.mail,hooli.mail", "globex.mail", "hooli.mail"),
        ("q=c", "hooli.mail", "hooli.mail"),  # "b" comes first
        ("category=breaking", "acme.mail", "hooli.mail"),
        ("vendor=hooli&category=breaking&q=%22about%20c%22", "globex.mail", "hooli.mail"),
    ],
)
def test_what_a_filter_does_not_let_through_lets_it_wait_on(
    waiting, end, publish, filter_, others, meant
):
    why = b'{"categories":["breaking"],"evidence":[]}'

    async def scenario():
        service = waiting()
        request = asyncio.create_task(service.get(f"{filter_}&after={end}&wait=25"))
        await service.until(1)
        await asyncio.to_thread(publish, others, b=HOUR)
        await asyncio.sleep(2 * INTERVAL_SECONDS)
        was_done = request.done()
        await asyncio.to_thread(publish, meant, important=why, c=HOUR)
        return was_done, await request

    was_done, page = asyncio.run(scenario())

    assert not was_done
    assert [item["entry"]["title"] for item in page["items"]] == ["c"]


@pytest.mark.parametrize(("wait", "longest"), [(1, LONGEST_SECONDS), (25, 1)])
def test_when_the_time_is_over_it_is_answered_with_nothing(waiting, end, wait, longest):
    began = time.monotonic()

    page = asyncio.run(waiting(longest=longest).get(f"after={end}&wait={wait}"))

    assert page == {"items": [], "next": end, "more": False}
    assert 1 <= time.monotonic() - began < 10
    assert LONGEST_SECONDS + 4 * INTERVAL_SECONDS < 10  # when Schemathesis and others give up


@pytest.mark.parametrize(
    "query", ["after=now&wait=25", "after=7fffffffffffffff&wait=25", "wait=25", "after={end}"]
)
def test_what_has_nothing_to_wait_for_is_answered_at_once(waiting, end, query):
    async def scenario():
        service = waiting()
        service.waiters.place = None  # nobody may take one
        return await service.get(query.format(end=end))

    assert asyncio.run(scenario()).keys() == {"items", "next", "more"}


@pytest.mark.parametrize("bounds", [{"most": 2}, {"most_of_one": 2}], ids=["of all", "of one"])
def test_more_requests_than_may_wait_are_answered_at_once(waiting, end, bounds):
    async def scenario():
        service = waiting(**bounds)
        others = [asyncio.create_task(service.get(f"after={end}&wait=25")) for _ in range(2)]
        await service.until(2)
        page = await asyncio.wait_for(service.get(f"after={end}&wait=25"), SOON)
        service.waiters.stop()
        await asyncio.gather(*others)
        return page

    assert asyncio.run(scenario())["items"] == []


def test_the_end_of_the_process_ends_it(waiting, end):
    async def scenario():
        service = waiting()
        request = asyncio.create_task(service.get(f"after={end}&wait=25"))
        await service.until(1)
        service.waiters.stop()
        return await asyncio.wait_for(request, SOON)

    assert asyncio.run(scenario())["next"] == end


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_who_has_gone_waits_no_longer(waiting, end, is_cancelled):
    async def scenario():
        service, gone = waiting(), asyncio.Event()
        request = asyncio.create_task(service.get(f"after={end}&wait=25", gone=gone))
        await service.until(1)
        (request.cancel if is_cancelled else gone.set)()
        with suppress(asyncio.CancelledError):
            assert await request is None
        return service.waiters.count

    assert asyncio.run(scenario()) == 0


def test_requests_that_wait_hold_no_thread_and_no_connection(waiting, end, database):
    """There are more of them than threads and connections; others are answered beside them."""
    many, statements = 3 * THREADS, []

    def note(*_):
        statements.append(time.monotonic())

    async def scenario():
        service = waiting(most_of_one=many)
        requests = [asyncio.create_task(service.get(f"after={end}&wait=25")) for _ in range(many)]
        await service.until(many)
        await asyncio.sleep(2 * INTERVAL_SECONDS)
        event.listen(database.engine, "before_cursor_execute", note)
        await asyncio.sleep(4 * INTERVAL_SECONDS)
        event.remove(database.engine, "before_cursor_execute", note)
        beside = await service.get("after=now")  # needs a thread, of which there are fewer
        service.waiters.stop()
        await asyncio.gather(*requests)
        return beside

    assert asyncio.run(scenario())["next"] == end
    assert len(statements) <= 12  # a look at each interval, for all of them
    assert database.engine.pool.checkedout() == 0
