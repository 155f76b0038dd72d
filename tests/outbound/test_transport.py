"""What is taken for a response, and what is not: servers may send anything."""

import socket
import ssl
from contextlib import closing, suppress
from ipaddress import ip_network
from threading import Thread

import httpcore2
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outbound.backend import Backend
from outbound.guard import AddressPolicy, AddressRefused, system_resolver
from outbound.transport import GuardedTransport, request_for

OK = b"HTTP/1.1 200 OK\r\n"
BOTH_LENGTHS = b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n"
LONGEST_HEAD = 100 * 1024
LONG = 5 * LONGEST_HEAD
TIMEOUTS = {"connect": 1.0, "read": 0.2, "write": 1.0, "pool": None}
CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
LOOPBACK = AddressPolicy((ip_network("127.0.0.0/8"),))


class Server:
    """Sends the same bytes to everybody who connects, and hangs up unless told otherwise."""

    def __init__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self.pieces, self.hangs_up, self.connections = [], True, []
        Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections.append(connection)
                Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection):
        with connection, suppress(OSError):
            while connection.recv(65536):
                for piece in self.pieces:
                    connection.sendall(piece)
                if self.hangs_up:
                    break

    def close(self):
        self._listener.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture(scope="module")
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def make_transport():
    """Make transports that may reach loopback."""
    made = []

    def make(**options):
        options = {"resolver": lambda host, _: [host], **options}
        made.append(GuardedTransport(LOOPBACK, ssl_context=CONTEXT, **options))
        return made[-1]

    yield make
    for transport in made:
        transport.close()


def send(transport, server):
    """Return a response that was read to its end."""
    request = request_for(httpx2.URL(server.url), headers=[], timeouts=TIMEOUTS)
    with closing(transport.handle_request(request)) as response:
        response.content_read = b"".join(response.iter_stream())
    return response


def read(server, *pieces, hangs_up=True):
    """Return what is read when the server sends these pieces."""
    server.pieces, server.hangs_up = pieces, hangs_up
    transport = GuardedTransport(LOOPBACK, resolver=lambda host, _: [host], ssl_context=CONTEXT)
    with closing(transport):
        return send(transport, server)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK + b"Content-Length: 4\r\n\r\nfour", b"four"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n", b"four"),
        (OK + b"\r\nuntil the end", b"until the end"),
        (b"HTTP/1.1 103 Early\r\nETag: no\r\n\r\n" * 3 + OK + b"\r\nend", b"end"),
        (b"HTTP/1.1 200 OK\nContent-Length: 4\n\nfour", b"four"),
        (OK + BOTH_LENGTHS, b"four"),
        (OK + b"X: a\r\n\tContent-Length: 2\r\n\r\nfour", b"four"),
    ],
)
@pytest.mark.parametrize("size", [1, LONG])
def test_a_response_is_read_however_it_is_cut(server, answer, body, size):
    response = read(server, *(answer[at : at + size] for at in range(0, len(answer), size)))

    assert (response.status, response.content_read) == (200, body)
    assert "etag" not in httpx2.Headers(response.headers)


@pytest.mark.parametrize(
    "answer",
    [
        b"<rss/>",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        OK + b"Content-Length: 5\r\n\r\nfour",
        OK + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nfour5",
        OK + b"Content-Length: -4\r\n\r\nfour",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\nfour",
        OK + b"X: a\rb\r\n\r\n",
    ],
)
def test_what_is_no_response_is_refused(server, answer):
    with pytest.raises(httpcore2.RemoteProtocolError):
        read(server, answer)


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"X: " + b"x" * LONG,
        b"x" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n4;" + b"x" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * (LONG // 6),
    ],
    ids=lambda answer: answer[:50],
)
def test_what_comes_around_the_content_is_bounded(server, answer):
    with pytest.raises(httpcore2.RemoteProtocolError):
        read(server, answer, hangs_up=False)


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize(
    "length", [b"", b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n"]
)
def test_a_response_without_content_ends_with_its_fields(server, status, length):
    head = b'HTTP/1.1 %d X\r\nETag: "1"\r\n%b\r\n' % (status, length)

    response = read(server, head, hangs_up=False)

    assert (response.status, response.content_read) == (status, b"")
    assert httpx2.Headers(response.headers)["etag"] == '"1"'


@pytest.mark.parametrize(
    ("answer", "connections"),
    [
        (OK + b"Content-Length: 4\r\n\r\nfour", 1),
        (b"HTTP/1.1 304 X\r\n\r\n", 1),
        (b"HTTP/1.1 304 X\r\nContent-Length: 4\r\n\r\nfour", 2),
        (b"HTTP/1.1 304 X\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n", 2),
        (OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nfour", 2),
    ],
)
def test_a_connection_is_kept_only_where_nothing_more_may_come(
    server, make_transport, answer, connections
):
    server.pieces, server.hangs_up = [answer], False
    transport, before = make_transport(), len(server.connections)

    first, second = send(transport, server), send(transport, server)

    assert first.status == second.status
    assert first.content_read == second.content_read
    assert len(server.connections) - before == connections


def test_a_server_that_does_not_go_on_is_left(server):
    with pytest.raises(httpcore2.TimeoutException):
        read(server, OK, hangs_up=False)


@settings(max_examples=50)
@given(st.binary(max_size=200), st.sampled_from([b"", OK, OK + b"Transfer-Encoding: chunked\r\n"]))
def test_no_bytes_do_more_than_fail(server, after, start):
    try:
        response = read(server, start + after)
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException):
        return
    assert 101 <= response.status <= 999


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"If-None-Match", b'"1"\r\nX: y'),
        (b"If-None-Match", b"a\nb"),
        (b"If-None-Match", b"a\0b"),
        (b"X: y\r\nZ", b"a"),
    ],
)
def test_no_value_becomes_another_field_of_a_request(server, make_transport, name, value):
    request = request_for(httpx2.URL(server.url), headers=[(name, value)], timeouts=TIMEOUTS)

    with pytest.raises(httpcore2.LocalProtocolError):
        make_transport().handle_request(request)


def test_a_host_name_is_sent_and_resolved_in_ascii(server, make_transport):
    server.pieces, resolved = [OK + b"\r\n"], []
    transport = make_transport(resolver=lambda host, _: resolved.append(host) or ["127.0.0.1"])
    url = server.url.replace("127.0.0.1", "b\xfccher.example")

    transport.handle_request(request_for(httpx2.URL(url), headers=[], timeouts=TIMEOUTS)).close()

    assert resolved == ["xn--bcher-kva.example"]


def test_sockets_of_this_machine_are_not_connected_to(make_transport):
    with pytest.raises(AddressRefused):
        Backend(LOOPBACK, system_resolver).connect_unix_socket("/run/docker.sock")
