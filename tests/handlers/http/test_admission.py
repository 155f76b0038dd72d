"""Who may ask how much: keys, accounts, addresses, everybody anonymous (docs/decisions/0199)."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from handlers.http.admission import REFUSALS, SLOWER_S, Admission, credential_of, waits
from handlers.http.allowances import Allowances, minutes
from handlers.http.guard import Guard, RequestPolicy
from handlers.http.lanes import Lanes
from handlers.http.sender import Sender, note_account, note_wrong_credential
from handlers.majors import shipped_major
from handlers.site.app import create_site
from handlers.site.error_pages import guard_pages

BASE = "/api/v1"
PROXY = "10.0.0.1"
ACCOUNTS = {"first": 1, "second": 1, "another": 2}  # by key


@pytest.fixture
def clock(now):
    """A clock that a test moves: ``clock.now``."""

    class Clock:
        def __init__(self):
            self.now = now

        def __call__(self):
            return self.now

    return Clock()


@pytest.fixture
def admission(clock):
    """Allowances of ten units for a key or an address, 20 for an account, 40 for all anonymous."""
    return Admission(
        now=clock,
        bases=[BASE],
        trusted_proxies=[ip_network(f"{PROXY}/32")],
        units=10,
        pause=timedelta(0),
    )


async def application(scope, receive, send):
    """Answer everything; keys are known by ``ACCOUNTS``."""
    for name, value in scope["headers"]:
        if name == b"x-api-key":
            account_id = ACCOUNTS.get(value.decode())
            note_wrong_credential() if account_id is None else note_account(account_id)
    await PlainTextResponse("whole")(scope, receive, send)


@pytest.fixture
def ask(admission):
    """Ask through the guard: ``ask(target, address=…, key=…)`` gives the response."""
    guard = Guard(application, RequestPolicy(frozenset({"acme.example"})), admission=admission)
    client = TestClient(guard, base_url="http://acme.example", client=(PROXY, 1))

    def ask(target=f"{BASE}/latest", *, address="192.0.2.1", key=None, **headers):
        sent = headers | {"X-Forwarded-For": address} | ({"X-Api-Key": key} if key else {})
        return client.get(target, headers=sent)

    return ask


def statuses(ask, count, **more):
    return [ask(**more).status_code for _ in range(count)]


@given(st.lists(st.integers(1, 30), max_size=30))
def test_no_more_than_the_quota_is_ever_spent_and_whatever_fits_is_admitted(prices):
    allowances, spent = Allowances(), 0
    at = datetime(2026, 1, 1, tzinfo=UTC)

    for price in prices:
        state = allowances.spend({"one": minutes(60)}, price, now=at)[0]
        assert state.admitted is (spent + price <= 60)
        spent += price if state.admitted else 0
        assert state.remaining == 60 - spent


def test_an_address_has_an_allowance_and_another_has_its_own(ask):
    assert statuses(ask, 11) == [200] * 10 + [429]
    assert ask(address="192.0.2.2").status_code == 200


def test_addresses_of_one_64_are_one_client(ask):
    found = [ask(address=f"2001:db8::{n:x}").status_code for n in range(11)]

    assert found == [200] * 10 + [429]
    assert ask(address="2001:db8:0:1::1").status_code == 200


def test_after_the_seconds_of_retry_after_there_is_an_answer(ask, clock):
    statuses(ask, 10)
    clock.now += timedelta(seconds=20)

    refused = ask()
    clock.now += timedelta(seconds=int(refused.headers["Retry-After"]))

    assert refused.headers["Retry-After"] == "40"
    assert ask().status_code == 200


def test_a_refusal_is_the_one_of_the_contract(ask):
    statuses(ask, 10)
    refused = ask()

    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert refused.headers["RateLimit"] == '"address";r=0;t=60'
    assert refused.headers["RateLimit-Policy"] == '"address";q=10;w=60'
    validator = shipped_major().validator
    assert not validator.response("list_latest", 429, dict(refused.headers), refused.content)


def test_every_answer_of_the_api_says_what_is_left(ask):
    assert ask(f"{BASE}/latest?limit=100").headers["RateLimit"] == '"address";r=7;t=60'
    assert "RateLimit" not in ask("/latest").headers


def test_keys_of_one_account_share_its_allowance_and_their_address_has_none(ask):
    assert statuses(ask, 11, key="first") == [200] * 11  # the first one paid by the address
    assert statuses(ask, 11, key="second") == [200] * 11
    assert statuses(ask, 1, key="first") == [429]
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


def test_all_anonymous_together_have_an_allowance_that_keys_do_not_share(ask):
    ask(key="first")
    found = [ask(address=f"192.0.2.{n}").status_code for n in range(2, 50)]

    assert found == [200] * 40 + [429] * 8
    assert ask(key="first").status_code == 200


def test_health_costs_nothing(ask):
    statuses(ask, 11)

    assert statuses(ask, 20, target="/healthz") == [200] * 20


def test_a_browser_gets_a_page_and_a_program_the_error(admission, services):
    site = create_site(services, secret_key="x" * 32)
    policy = RequestPolicy(frozenset({"acme.example"}))
    guard = Guard(application, policy, admission=admission, page_of=guard_pages(site))
    client = TestClient(guard, base_url="http://acme.example")
    browser = {"Accept": "text/html,*/*;q=0.8"}
    for _ in range(3):
        client.get("/latest")

    page, error = client.get("/latest", headers=browser), client.get("/latest")

    assert (page.status_code, page.headers["Retry-After"]) == (429, "60")
    assert "<h1>Too many requests</h1>" in page.text
    assert "Try again in 60 seconds." in page.text
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert error.json()["code"] == "rate_limited"


def test_a_file_that_is_too_large_gets_a_page_with_one_line(services):
    site = create_site(services, secret_key="x" * 32)
    policy = RequestPolicy(frozenset({"acme.example"}), larger={"/app/stack": 2 * 1024 * 1024})
    client = TestClient(
        Guard(application, policy, page_of=guard_pages(site)), base_url="http://acme.example"
    )

    page = client.post("/app/stack", content=b"x" * 3_000_000, headers={"Accept": "text/html"})

    assert page.status_code == 413
    assert "What you sent is too large. Send at most 2 MiB." in page.text


def test_a_client_sends_one_large_body_at_a_time_and_is_answered_meanwhile(clock):
    reading, answered = [], []
    may_end = asyncio.Event()

    def scope(method, path, *headers):
        head = [(b"host", b"acme.example"), *headers]
        client = ("192.0.2.1", 1)
        return {"type": "http", "method": method, "path": path, "headers": head, "client": client}

    async def upload(number):
        async def receive():
            if number not in reading:
                reading.append(number)
                await may_end.wait()
            return {"type": "http.request", "body": b"x" * 100_000, "more_body": False}

        length = (b"content-length", b"100000")
        await guard(scope("POST", "/upload", length), receive, no_answer)

    async def no_answer(_message):
        pass

    async def note(scope, _receive, send):
        answered.append(scope["path"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    async def both():
        uploads = [asyncio.create_task(upload(number)) for number in range(2)]
        await asyncio.sleep(0.01)
        await guard(scope("GET", "/latest"), None, no_answer)
        seen = list(reading), list(answered)
        may_end.set()
        await asyncio.gather(*uploads)
        return seen

    policy = RequestPolicy(frozenset({"acme.example"}), larger={"/upload": 200_000})
    guard = Guard(note, policy, admission=Admission(now=clock, bases=[BASE]))

    assert asyncio.run(both()) == ([0], ["/latest"])
    assert (reading, answered) == ([0, 1], ["/latest", "/upload", "/upload"])


def test_servers_that_share_a_database_count_what_busy_clients_spend_together(database, clock):
    servers = [Admission(now=clock, bases=[BASE], units=10, shared=database) for _ in range(2)]
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"{BASE}/latest",
        "headers": [],
        "client": ("192.0.2.1", 1),
    }
    for server in (*servers, *servers, *servers, *servers):
        server.charge(scope)
        server.tell(database)

    spent = [server.charge(scope).headers["RateLimit"] for server in servers]

    assert spent == ['"address";r=2;t=60', '"address";r=1;t=60']  # the first knew of eight in all


@pytest.mark.parametrize(
    ("path", "headers", "has"),
    [
        ("/latest", [], False),
        ("/latest", [(b"cookie", b"forms=x")], False),
        ("/latest", [(b"cookie", b"forms=x; session=y")], True),
        ("/latest", [(b"authorization", b"Bearer abc")], True),
        ("/private/token/entries.atom", [], True),
    ],
)
def test_a_credential_is_a_key_a_session_or_a_private_address(path, headers, has):
    assert (credential_of({"path": path, "headers": headers}) is not None) is has


def test_refusals_at_once_are_slowed_down_after_a_hundred_in_a_second(clock):
    time.sleep(1 - time.monotonic() % 1)  # to the beginning of a second
    admission = Admission(now=clock, bases=[BASE])
    sender, other = (Sender(client, 1, None) for client in ("address/a", "address/b"))

    async def seconds(sender, times):
        began = time.perf_counter()
        for _ in range(times):
            await admission.slow_down(sender)
        return time.perf_counter() - began

    async def run():
        return await seconds(sender, REFUSALS), await seconds(sender, 5), await seconds(other, 5)

    first, then, others = asyncio.run(run())

    assert then >= 5 * SLOWER_S
    assert max(first, others) < 5 * SLOWER_S


def test_refusals_of_a_crowd_are_slowed_down_and_no_others(clock):
    admission = Admission(now=clock, bases=[BASE], lanes=Lanes(width=1))

    async def refused(scope, receive, send):
        await asyncio.sleep(0.001)  # as a thread would take
        await PlainTextResponse("no", status_code=404)(scope, receive, send)

    guard = Guard(refused, RequestPolicy(frozenset({"acme.example"})), admission=admission)

    async def ask_at_once(count):
        transport = httpx2.ASGITransport(guard)
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://acme.example"
        ) as client:
            began = time.perf_counter()
            await asyncio.gather(*(client.get("/nowhere") for _ in range(count)))
            return time.perf_counter() - began

    async def run():
        return await ask_at_once(4), await ask_at_once(30)

    alone, crowd = asyncio.run(run())

    assert crowd >= 24 * SLOWER_S
    assert alone < crowd / 2


@pytest.mark.parametrize(
    ("method", "target", "expected"),
    [
        ("GET", "/mcp", True),  # held open for events as long as the client lives
        ("POST", "/mcp", False),
        ("GET", f"{BASE}/changes?wait=20", True),
        ("POST", f"{BASE}/stacks?wait=20", False),
        ("GET", "/bulk", True),
        ("GET", f"{BASE}/latest", False),
    ],
)
def test_a_request_that_is_held_open_keeps_no_other_of_its_client_waiting(method, target, expected):
    path, _, query = target.partition("?")

    assert waits({"method": method, "path": path, "query_string": query.encode()}) is expected
