"""A server that is told to stop answers those who are connected."""

import os
import socket
import subprocess
import time
from contextlib import ExitStack

import pytest
from specimen.serving import CHANGEWIRE, wait_for

pytestmark = pytest.mark.slow

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def service(tmp_path, empty_database_file, unused_port):
    """The main process of a service."""
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    environment = os.environ | {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db",
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
    }
    command, log = [*CHANGEWIRE, "serve", "--port", str(unused_port)], tmp_path / "log"
    with log.open("wb") as out:
        main = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=out, stderr=out)
    wait_for(f"http://127.0.0.1:{unused_port}/readyz", main, log)
    yield main
    main.terminate()
    main.wait(30)


@pytest.fixture
def connect(unused_port):
    """Connect a client."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(
            socket.create_connection(("127.0.0.1", unused_port), timeout=20)
        )


def answer(client):
    """Return the lines of the head of a response, and read its body."""
    head = b""
    while not head.endswith(b"alive\n") and (more := client.recv(4096)):
        head += more
    return head.split(b"\r\n")


def test_requests_that_were_sent_are_answered(service, connect):
    clients = [connect() for _ in range(60)]
    for client in clients:
        client.sendall(REQUEST)
    service.terminate()

    assert {answer(client)[0] for client in clients} == {b"HTTP/1.1 200 OK"}


@pytest.mark.parametrize("earlier", [0, 1])
def test_a_client_that_is_connected_gets_a_last_answer(service, connect, earlier):
    client = connect()
    for _ in range(earlier):
        client.sendall(REQUEST)
        assert answer(client)[0] == b"HTTP/1.1 200 OK"
    time.sleep(0.3)
    service.terminate()
    time.sleep(0.3)
    client.sendall(REQUEST)

    head = answer(client)

    assert head[0] == b"HTTP/1.1 200 OK"
    assert b"connection: close" in head
    assert client.recv(1) == b""
