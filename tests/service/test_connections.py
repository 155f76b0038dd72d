"""Clients that do not read what they asked for (docs/decisions/0199)."""

import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack, closing
from ipaddress import ip_network

import pytest
from specimen.serving import serve

from service.connections import (
    DESCRIPTORS,
    OF_ONE,
    Connection,
    ConnectionWatch,
    accepted_connections,
)

SLOW = 300


@pytest.mark.parametrize(
    ("count", "seconds", "trusted", "ended"),
    [
        (1, 14.9, "10.0.0.0/8", 0),
        (1, 15.0, "10.0.0.0/8", 1),
        (OF_ONE, 2.0, "10.0.0.0/8", 0),
        (OF_ONE + 1, 2.0, "10.0.0.0/8", OF_ONE + 1),
        (OF_ONE + 1, 2.0, "192.0.2.0/24", 0),
    ],
)
def test_patience_ends_sooner_where_there_are_too_many(count, seconds, trusted, ended):
    connections = [Connection(n, ("192.0.2.1", n), 0, 1) for n in range(count)]
    watch = ConnectionWatch([ip_network(trusted)])
    watch.stalled(connections, now=0.0)

    assert len(watch.stalled(connections, now=seconds)) == ended


def test_a_client_that_reads_nothing_is_cut_off_and_one_that_has_all_is_not():
    with ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        idle, idle_side = stack.enter_context(connected(server)), accepted(stack, server)
        stuck, stuck_side = stack.enter_context(connected(server)), accepted(stack, server)
        idle_side.send(b"whole")
        idle.recv(5)
        stuck_side.setblocking(False)
        while True:
            try:
                stuck_side.send(b"x" * 65_536)
            except BlockingIOError:
                break
        watch = ConnectionWatch()
        before = set(DESCRIPTORS.iterdir())
        ended = [watch.check(now=now) for now in (0.0, 14.0, 15.0)]

        assert ended == [0, 0, 1]
        assert set(DESCRIPTORS.iterdir()) <= before  # garbage of other tests may be gone
        assert {of.peer for of in accepted_connections()} >= {idle.getsockname()}
        with pytest.raises(OSError):
            stuck_side.send(b"x")
        idle_side.send(b"more")
        assert idle.recv(4) == b"more"
        assert stuck.fileno() >= 0


def connected(server):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(server.getsockname())
    return client


def accepted(stack, server):
    return stack.enter_context(server.accept()[0])


@pytest.mark.slow
def test_hundreds_that_ask_and_never_read_do_not_silence_the_server(tmp_path, empty_database_file):
    (tmp_path / "changewire.db").write_bytes(empty_database_file.read_bytes())
    request = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 60
    with serve(f"sqlite:///{tmp_path}/changewire.db", tmp_path) as url, ExitStack() as stack:
        host, port = url.removeprefix("http://").split(":")
        for _ in range(SLOW):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.settimeout(20)
            client.connect((host, int(port)))
            client.send(request)
        answers = []
        for _ in range(12):
            with urllib.request.urlopen(f"{url}/healthz", timeout=10) as response:
                answers.append(response.status)
            time.sleep(0.5)
        log = (tmp_path / "service.log").read_text()

    assert answers == [200] * 12
    assert "clients do not read what they asked for" in log


def test_looking_at_connections_ends_no_lock_of_a_database(tmp_path):
    file = str(tmp_path / "x.db")
    other = (
        "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    )
    with closing(sqlite3.connect(file, isolation_level=None)) as own:
        own.execute("PRAGMA journal_mode = WAL")
        own.execute("BEGIN IMMEDIATE")

        accepted_connections()

        refused = subprocess.run(
            [sys.executable, "-c", other, file], capture_output=True, text=True
        )
    assert "database is locked" in refused.stderr
