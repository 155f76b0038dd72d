"""What stands before everything: hosts, sizes, deadlines, request ids (docs/architecture.md)."""

import asyncio
from datetime import timedelta

import orjson
import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from structlog.testing import capture_logs

from handlers.http.guard import Guard, RequestPolicy, is_known
from outbound.mail import Undelivered

POLICY = RequestPolicy(
    hosts=frozenset({"acme.example", "[::1]"}), body_deadline=timedelta(milliseconds=50)
)


async def echo(scope, receive, send):
    """Answer with the size of the body."""
    message = await receive()
    await PlainTextResponse(str(len(message["body"])))(scope, receive, send)


@pytest.fixture
def guarded():
    """A client of an application behind the guard."""
    return TestClient(Guard(echo, POLICY), base_url="http://acme.example")


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("ACME.example.", True),
        ("acme.example:8080", True),
        ("[::1]:80", True),
        ("acme.example.evil.example", False),
        ("acme.example:evil", False),
        ("acme.example@evil.example", False),
        ("::1", False),
        ("", False),
    ],
)
def test_a_host_is_known_by_its_whole_name(host, known):
    assert is_known(host, POLICY.hosts) is known


def test_an_unknown_host_is_refused(guarded):
    response = guarded.get("/", headers={"Host": "evil.example"})

    assert (response.status_code, response.json()["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
@pytest.mark.parametrize("hosts", [(), ("10.1.2.3:8080",), ("a b", "c")])
def test_a_probe_is_answered_whatever_its_host_is(path, hosts):
    async def echo_host(scope, receive, send):
        (host,) = [value for name, value in scope["headers"] if name == b"host"]
        await PlainTextResponse(host)(scope, receive, send)

    sent = []

    async def send(message):
        sent.append(message)

    headers = [(b"host", host.encode()) for host in hosts]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    asyncio.run(Guard(echo_host, POLICY)(scope, None, send))

    assert (sent[0]["status"], sent[1]["body"]) == (200, b"localhost")


@pytest.mark.parametrize("path", ["/", "/readyz"])
def test_a_mail_that_cannot_be_written_is_a_503_that_is_logged(path):
    async def full(scope, receive, send):
        raise Undelivered("No space left on device", lasting=False)

    with capture_logs() as logged:
        response = TestClient(Guard(full, POLICY), base_url="http://acme.example").get(path)

    assert (response.status_code, logged[-1]["log_level"]) == (503, "info")
    assert [it["event"] for it in logged if it["log_level"] == "error"] == ["mail not written"]


@pytest.mark.parametrize(("size", "status"), [(0, 200), (65536, 200), (65537, 413)])
def test_a_body_has_at_most_64_kib(guarded, size, status):
    assert guarded.post("/", content=b"x" * size).status_code == status


def test_a_body_of_unknown_length_is_counted_as_it_comes(guarded):
    response = guarded.post("/", content=(b"x" * 1024 for _ in range(100)))

    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")


def test_large_headers_are_refused(guarded):
    assert guarded.get("/", headers={"X-Large": "x" * 20_000}).status_code == 431


def test_a_fault_of_ours_shows_its_request_id_and_nothing_else():
    async def broken(scope, receive, send):
        raise RuntimeError("SELECT secret FROM table")

    client = TestClient(Guard(broken, POLICY), base_url="http://acme.example")
    response, other = client.get("/"), client.get("/")

    assert (response.status_code, response.json()["code"]) == (500, "internal_error")
    assert response.headers["X-Request-Id"] in response.json()["hint"]
    assert response.headers["X-Request-Id"] != other.headers["X-Request-Id"]
    assert "secret" not in response.text


def call(scope_changes, receive):
    """Call the guard as a server would; returns status and error."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"acme.example")]}
    asyncio.run(Guard(echo, POLICY)(scope | scope_changes, receive, send))
    return sent[0]["status"], orjson.loads(sent[1]["body"])


async def never():
    await asyncio.sleep(5)


async def gone():
    return {"type": "http.disconnect"}


async def empty():
    return {"type": "http.request", "body": b"", "more_body": False}


@pytest.mark.parametrize(
    ("scope_changes", "receive", "status"),
    [
        ({}, never, 408),
        ({}, gone, 400),
        ({"headers": [(b"host", b"acme.example")] * 2}, empty, 400),
        ({"path": "sources"}, empty, 400),
    ],
    ids=["too slow", "gone", "two hosts", "no slash"],
)
def test_a_request_that_is_not_whole_is_refused(scope_changes, receive, status):
    found, error = call(scope_changes, receive)

    assert (found, error["code"]) == (status, "invalid_request")


LARGE = RequestPolicy(
    hosts=frozenset({"acme.example"}), larger={"/upload": 200_000}, larger_at_once=1
)


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [("/upload", 200_000, 200), ("/upload", 200_001, 413), ("/other", 65537, 413)],
)
def test_a_larger_body_is_taken_where_one_is_meant(path, size, status):
    client = TestClient(Guard(echo, LARGE), base_url="http://acme.example")

    assert client.post(path, content=b"x" * size).status_code == status


def test_only_so_many_larger_bodies_are_held_at_once():
    statuses = []

    async def upload_within(scope, receive, send):
        if not statuses:
            statuses.append(0)
            for size in (65537, 10):
                inner = TestClient(guard, base_url="http://acme.example", client=("10.0.0.2", 1))
                content = b"x" * size
                posted = await asyncio.to_thread(inner.post, "/upload", content=content)
                statuses.append(posted.status_code)
        await echo(scope, receive, send)

    guard = Guard(upload_within, LARGE)
    outer = TestClient(guard, base_url="http://acme.example")

    assert outer.post("/upload", content=b"x" * 65537).status_code == 200
    assert statuses == [0, 503, 200]
    assert outer.post("/upload", content=b"x" * 65537).status_code == 200
