"""How much a client may ask: of units a minute, and of requests at a time."""

import asyncio
from ipaddress import ip_network
from types import SimpleNamespace

import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from handlers.http.auth import credential_of
from handlers.http.guard import PAUSE_SECONDS, Guard, RequestPolicy
from handlers.http.limiter import (
    APART_SECONDS,
    MOST,
    Limiter,
    costs_of,
    leave_place,
    note_account,
    note_wrong_credential,
)
from handlers.majors import shipped_major
from handlers.site.app import create_site
from handlers.site.error_pages import guard_pages

BASE = "/api/v1"
PROXY = "10.0.0.1"
ACCOUNTS = {"first": 1, "second": 1, "third": 1, "another": 2}  # by key
POLICY = RequestPolicy(frozenset({"acme.example"}))


@pytest.fixture
def clock(monkeypatch):
    """The seconds that the limiter sees: ``clock.seconds``."""
    clock = SimpleNamespace(seconds=1_000.0)
    time = SimpleNamespace(time=lambda: clock.seconds)
    monkeypatch.setattr("handlers.http.limiter.time", time)
    monkeypatch.setattr("handlers.http.guard.PAUSE_SECONDS", 0)
    return clock


@pytest.fixture
def limiter(clock):
    """Ten units a minute for a key or an address, 20 for an account."""
    costs = costs_of([shipped_major()])
    return Limiter(costs, trusted_proxies=[ip_network(f"{PROXY}/32")], units=10)


async def application(scope, receive, send):
    """Answer everything; keys are known by ``ACCOUNTS``."""
    for name, value in scope["headers"]:
        if name == b"x-api-key":
            account_id = ACCOUNTS.get(value.decode())
            note_wrong_credential() if account_id is None else note_account(account_id)
    await PlainTextResponse("whole")(scope, receive, send)


@pytest.fixture
def ask(limiter):
    """Ask through the guard: ``ask(target, address=…, key=…)`` gives the response."""
    guard = Guard(application, POLICY, limiter=limiter)
    client = TestClient(guard, base_url="http://acme.example", client=(PROXY, 1))

    def ask(target=f"{BASE}/latest", *, address="192.0.2.1", key=None, method="GET"):
        sent = {"X-Forwarded-For": address} | ({"X-Api-Key": key} if key else {})
        return client.request(method, target, headers=sent)

    return ask


def statuses(ask, count, **more):
    return [ask(**more).status_code for _ in range(count)]


@pytest.mark.parametrize(
    ("method", "target", "cost"),
    [
        ("HEAD", f"{BASE}/entries?limit=100", 1),
        ("GET", f"{BASE}/diffs", 3),
        ("GET", f"{BASE}/nowhere", 3),
        ("POST", "/auth/login", 3),
        ("GET", "/static/site.css", 0),
    ],
)
def test_a_request_costs_what_its_operation_says_and_anything_else_three(ask, method, target, cost):
    ask(target, method=method)

    assert ask().headers["RateLimit"] == f'"address";r={9 - cost};t=60'


def test_addresses_of_one_64_are_one_client(ask):
    found = [ask(address=f"2001:db8::{n:x}").status_code for n in range(11)]

    assert found == [200] * 10 + [429]
    assert ask(address="2001:db8:0:1::1").status_code == 200


def test_a_refusal_is_the_one_of_the_contract_and_ends_when_it_says(ask, clock):
    statuses(ask, 10)
    clock.seconds += 20
    refused = ask()
    clock.seconds += int(refused.headers["Retry-After"])

    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["RateLimit"] == '"address";r=0;t=40'
    assert refused.headers["RateLimit-Policy"] == '"address";q=10;w=60'
    validator = shipped_major().validator
    assert not validator.response("list_latest", 429, dict(refused.headers), refused.content)
    assert ask().status_code == 200


def test_only_operations_say_what_is_left(ask):
    assert "RateLimit" not in ask("/latest").headers


def test_keys_of_one_account_share_its_allowance_and_their_address_has_none(ask):
    assert statuses(ask, 11, key="first") == [200] * 11  # the first one paid by the address
    assert statuses(ask, 11, key="second") == [200] * 11
    assert statuses(ask, 2, key="third") == [200, 429]
    assert statuses(ask, 1, key="another") == [200]
    assert statuses(ask, 1) == [200]


def test_a_key_that_is_wrong_is_paid_by_its_address(ask):
    assert statuses(ask, 11, key="wrong") == [200] * 10 + [429]
    assert statuses(ask, 1, key="first", address="192.0.2.2") == [200]


def test_a_key_that_ends_is_no_longer_counted_with_its_account(ask, monkeypatch):
    statuses(ask, 2, key="first")
    monkeypatch.delitem(ACCOUNTS, "first")

    assert statuses(ask, 12, key="first") == [200] * 10 + [429] * 2
    assert statuses(ask, 8, key="second", address="192.0.2.2") == [200] * 8


def test_a_browser_gets_a_page_and_a_program_the_error(limiter, services):
    site = create_site(services, secret_key="x" * 32)
    guard = Guard(application, POLICY, limiter=limiter, page_of=guard_pages(site))
    client = TestClient(guard, base_url="http://acme.example")
    browser = {"Accept": "text/html,*/*;q=0.8"}
    for _ in range(3):
        client.get("/latest")

    page, error = client.get("/latest", headers=browser), client.get("/latest")

    assert (page.status_code, page.headers["Retry-After"]) == (429, "60")
    assert "Try again in 60 seconds." in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert error.json()["code"] == "rate_limited"


class Crowd:
    """Requests of one client at once, which are answered when ``may_end`` is set."""

    def __init__(self, before=lambda: None):
        self.running, self.may_end, self._before = 0, asyncio.Event(), before
        self.guard = Guard(self._answer, POLICY)

    async def _answer(self, scope, receive, send):
        self.running += 1
        self._before()
        await self.may_end.wait()
        await PlainTextResponse("whole")(scope, receive, send)

    async def ask(self, count):
        """Return how many ran at once, and the statuses in the end."""
        transport = httpx2.ASGITransport(self.guard)
        async with httpx2.AsyncClient(transport=transport, base_url="http://acme.example") as http:
            asked = [asyncio.create_task(http.get("/latest")) for _ in range(count)]
            await asyncio.sleep(0.05)
            running = self.running
            self.may_end.set()
            return running, sorted(
                response.status_code for response in await asyncio.gather(*asked)
            )


def test_one_request_of_a_client_is_answered_at_a_time_and_some_wait():
    async def run():
        return await Crowd().ask(MOST + 2)

    assert asyncio.run(run()) == (1, [200] * MOST + [429] * 2)


def test_a_request_that_waits_for_something_new_keeps_no_other_waiting():
    async def run():
        return await Crowd(before=leave_place).ask(5)

    assert asyncio.run(run()) == (5, [200] * 5)


@pytest.mark.parametrize(
    ("status", "takes_a_while"), [(200, True), (404, False)], ids=["others wait", "refused at once"]
)
def test_requests_of_a_client_that_floods_begin_some_time_apart(status, takes_a_while):
    async def application(scope, receive, send):
        if takes_a_while:
            await asyncio.sleep(0)
        await PlainTextResponse("", status_code=status)(scope, receive, send)

    async def run():
        guard, loop = Guard(application, POLICY), asyncio.get_running_loop()
        transport, began = httpx2.ASGITransport(guard), loop.time()
        async with httpx2.AsyncClient(transport=transport, base_url="http://acme.example") as http:
            responses = await asyncio.gather(*[http.get("/latest") for _ in range(5)])
        return [response.status_code for response in responses], loop.time() - began

    seen, seconds = asyncio.run(run())

    assert seen == [status] * 5
    assert seconds >= 4 * APART_SECONDS


def test_a_429_is_held_back():
    async def run():
        loop = asyncio.get_running_loop()
        crowd = Crowd()
        crowd.guard.limiter = Limiter({}, units=1)
        began = loop.time()
        await crowd.ask(1)
        return loop.time() - began

    assert asyncio.run(run()) >= PAUSE_SECONDS


@pytest.mark.parametrize(
    ("path", "headers", "has"),
    [
        ("/latest", [(b"cookie", b"forms=x")], False),
        ("/latest", [(b"cookie", b"forms=x; session=y")], True),
        ("/latest", [(b"authorization", b"Bearer abc")], True),
        ("/private/token/entries.atom", [], True),
    ],
)
def test_a_credential_is_a_key_a_session_or_a_private_address(path, headers, has):
    assert (credential_of({"path": path, "headers": headers}) is not None) is has
