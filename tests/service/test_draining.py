"""A server that is told to stop answers those who are connected, or wait (docs/decisions/0041)."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import httpx2
import pytest
from connexion_passages import observed_servers
from specimen.serving import serve
from specimen.site import make_site, the_time

pytestmark = pytest.mark.slow

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


def answer(client):
    """Return the lines of the head of a response, and read its body."""
    head = b""
    while not head.endswith(b"alive\n") and (more := client.recv(4096)):
        head += more
    return head.split(b"\r\n")


def test_a_server_that_is_stopped_answers_everybody_who_is_connected(tmp_path):
    site, stack = make_site(tmp_path, now=the_time()), ExitStack()
    with stack, ThreadPoolExecutor(2) as pool:
        with observed_servers(tmp_path) as observed, serve(site.url, tmp_path, observed) as url:
            address = ("127.0.0.1", int(url.rpartition(":")[2]))
            new, used, *busy = (
                stack.enter_context(socket.create_connection(address, timeout=20))
                for _ in range(62)
            )
            reader = httpx2.Client(
                base_url=f"{url}/api/v1", headers={"X-Api-Key": site.keys["all"]}, timeout=40
            )
            end = reader.get("/changes", params={"after": "now"}).json()["next"]
            waiting = pool.submit(reader.get, "/changes", params={"after": end, "wait": 25})
            used.sendall(REQUEST)
            assert answer(used)[0] == b"HTTP/1.1 200 OK"
            time.sleep(1)
            assert not waiting.done()
            for client in busy:
                client.sendall(REQUEST)
            last = pool.submit(last_answers, new, used)
            began = time.monotonic()
        seconds = time.monotonic() - began

        assert seconds < 7, "the server kills its processes after 8 seconds"
        assert {answer(client)[0] for client in busy} == {b"HTTP/1.1 200 OK"}
        for client, head in last.result():
            assert head[0] == b"HTTP/1.1 200 OK"
            assert b"connection: close" in head
            assert client.recv(1) == b""
        response = waiting.result()
        assert (response.status_code, response.json()["next"]) == (200, end)


def last_answers(*clients):
    """Ask once more when the server is about to stop; return what each client gets."""
    time.sleep(0.3)
    for client in clients:
        client.sendall(REQUEST)
    return [(client, answer(client)) for client in clients]
