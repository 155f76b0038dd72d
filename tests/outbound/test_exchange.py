"""What is taken for an answer, and what is not: servers may say anything."""

import socket
from contextlib import suppress
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbound.addresses import check_url
from outbound.connect import Stream
from outbound.exchange import MOST_FRAMING, exchanged, request_of
from outbound.faults import Disconnected, Fault, NotHttp, TimedOut

OK = b"HTTP/1.1 200 OK\r\n"
BOTH_LENGTHS = b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n"
LONG = 5 * MOST_FRAMING


class Read:
    """What became of an answer that was read to its end."""

    def __init__(self, exchange):
        self.status, self.fields = exchange.status, list(exchange.fields)
        self.body = b"".join(exchange)
        self.may_be_kept = exchange.may_be_kept


def read(*pieces, end=True):
    """Return what is read when a server sends these pieces and, with ``end``, hangs up."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sending = Thread(target=send, args=(theirs, pieces, end))
        sending.start()
        try:
            return Read(exchanged(Stream(ours), b"GET / HTTP/1.1\r\n\r\n", {"read": 0.2}))
        finally:
            ours.close()
            sending.join()


def send(connection, pieces, end):
    with suppress(OSError):
        for piece in pieces:
            connection.sendall(piece)
        if end:
            connection.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (OK + b"Content-Length: 4\r\n\r\nfour", b"four"),
        (OK + b"Content-Length: 0\r\n\r\n", b""),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n", b"four"),
        (OK + b"Transfer-Encoding: Chunked\r\n\r\n4;a=b;c\r\nfour\r\n0;d\r\n\r\n", b"four"),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n004\r\nfour\r\n0\r\nX: y\r\n\r\n", b"four"),
        (OK + b"\r\nuntil the end", b"until the end"),
        (OK + b"Connection: close\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\n\r\nuntil the end", b"until the end"),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfour", b"four"),
        (b"HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nfour", b"four"),
        (b"HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nfour", b"four"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 4\r\n\r\nfour", b"four"),
        (b"HTTP/1.1 103 Early\r\nETag: no\r\n\r\n" * 3 + OK + b"\r\nend", b"end"),
        (OK + b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 4\r\n\r\nfour", b"four"),
        (OK + b"Content-Length: 4\r\nX-Empty:\r\n\r\nfour", b"four"),
        (b"HTTP/1.1 200 OK\nContent-Length: 4\n\nfour", b"four"),
        (OK + b"X: a\nContent-Length: 4\r\n\r\nfour", b"four"),
        (OK + BOTH_LENGTHS, b"four"),
        (OK + b"Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n0\r\n\r\n", b""),
    ],
)
@pytest.mark.parametrize("size", [1, 7, LONG])
def test_an_answer_is_read_however_it_is_cut(answer, body, size):
    found = read(*(answer[at : at + size] for at in range(0, len(answer), size)))

    assert (found.status, found.body) == (200, body)
    assert b"etag" not in {name.lower() for name, _ in found.fields}


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\r\n\r\n",
        b"<rss/>",
        b"ICY 200 OK\r\n\r\n",
        b"HTTP/2 200 OK\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 999 No\r\n\r\n",
        b"HTTP/1.1 000 No\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        OK,
        OK + b"ETag: 1\r\n",
        OK + b"Content-Length: 5\r\n\r\nfour",
        OK + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nfour5",
        OK + b"Content-Length: 4, 5\r\n\r\nfour5",
        OK + b"Content-Length: -4\r\n\r\nfour",
        OK + b"Content-Length: +4\r\n\r\nfour",
        OK + b"Content-Length: 0x4\r\n\r\nfour",
        OK + b"Content-Length: 4 4\r\n\r\nfour",
        OK + b"Content-Length: 99999999999999999999\r\n\r\nfour",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: identity\r\n\r\nfour",
        OK + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfo",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n0x4\r\nfour\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n-4\r\nfour\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n 4\r\nfour\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4 \r\nfour\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n4\nfour\n0\n\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 17 + b"\r\nfour",
        OK + b"X Y: z\r\n\r\n",
        OK + b"X : z\r\n\r\n",
        OK + b": z\r\n\r\n",
        OK + b"no colon\r\n\r\n",
        OK + b"X: a\r\n folded\r\n\r\n",
        OK + b"X: a\r\n\tContent-Length: 4\r\n\r\nfour",
        OK + b"Content-Length: 4\r\nContent-Length: 4\r\n\r\nfour",
        OK + b"X: a\x00b\r\n\r\n",
        OK + b"X: a\rb\r\n\r\n",
        OK + b"X\x00: a\r\n\r\n",
        b" " + OK + b"\r\n",
    ],
)
@pytest.mark.parametrize("size", [1, LONG])
def test_what_is_no_answer_is_refused(answer, size):
    with pytest.raises(NotHttp):
        read(*(answer[at : at + size] for at in range(0, len(answer), size)))


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"X: " + b"x" * LONG,
        b"x" * LONG,
        OK + b"X" * LONG,
        OK + b"X: y\r\n" * (LONG // 6),
        b"HTTP/1.1 200 " + b"x" * LONG,
        b"HTTP/1.1 103 Early\r\n\r\n" * (LONG // 22),
        b"\r\n" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n4;" + b"x" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n" + b"0" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"x" * LONG,
        OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * (LONG // 6),
    ],
    ids=lambda answer: answer[:50],
)
def test_what_comes_around_the_content_is_bounded(answer):
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * LONG)
        theirs.setblocking(False)
        sent = theirs.send(answer)  # as much as fits without a reader
        assert sent > MOST_FRAMING
        with pytest.raises(NotHttp):
            Read(exchanged(Stream(ours), b"GET / HTTP/1.1\r\n\r\n", {"read": 0.2}))


@pytest.mark.parametrize("status", [204, 304])
@pytest.mark.parametrize(
    "length", [b"", b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n"]
)
def test_an_answer_without_content_ends_with_its_fields(status, length):
    found = read(b'HTTP/1.1 %d X\r\nETag: "1"\r\n%b\r\n' % (status, length), end=False)

    assert (found.status, found.body, found.may_be_kept) == (status, b"", True)
    assert (b"ETag", b'"1"') in found.fields


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (OK + b"Content-Length: 4\r\n\r\nfour", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n", True),
        (OK + b"Connection: close\r\nContent-Length: 4\r\n\r\nfour", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfour", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nfour", True),
        (OK + b"Content-Length: 4\r\n\r\nfourfive", False),
        (OK + BOTH_LENGTHS, False),
        (OK + b"Content-Length: 4\r\n\r\nfour" + OK + b"ETag: x\r\n\r\n", False),
        (b"HTTP/1.1 304 X\r\nContent-Length: 4\r\n\r\nfour", False),
        (b"HTTP/1.1 304 X\r\n\r\n" + OK + b"Content-Length: 0\r\n\r\n", False),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\nmore", False),
    ],
)
def test_a_connection_is_kept_only_where_nothing_more_comes(answer, kept):
    found = read(answer, end=False)

    assert found.may_be_kept is kept
    assert found.body in {b"four", b""}
    assert b"ETag" not in dict(found.fields)


def test_fields_after_the_content_are_none_of_the_answer():
    found = read(
        OK
        + b"Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\nLocation: http://10.0.0.1\r\n\r\n"
    )

    assert [name for name, _ in found.fields] == [b"Transfer-Encoding"]


def test_values_come_without_the_spaces_around_them():
    assert read(OK + b"X: \t a b \t\r\n\r\n").fields == [(b"X", b"a b")]


def test_an_answer_before_the_request_was_taken_is_read():
    ours, theirs = socket.socketpair()
    theirs.sendall(OK + b"Content-Length: 4\r\n\r\nfour")
    theirs.close()
    with ours:
        assert Read(exchanged(Stream(ours), b"x", {"read": 1.0})).body == b"four"


def test_a_server_that_says_nothing_is_left():
    with pytest.raises(TimedOut):
        read(OK, end=False)


def test_a_connection_that_is_closed_meanwhile_is_lost():
    ours, theirs = socket.socketpair()
    with theirs:
        stream = Stream(ours)
        stream.close()
        with pytest.raises(Disconnected):
            exchanged(stream, b"x", {})


@given(st.binary(max_size=200), st.sampled_from([b"", OK, OK + b"Transfer-Encoding: chunked\r\n"]))
def test_no_bytes_do_more_than_fail(after, start):
    try:
        found = read(start + after)
    except Fault:
        return
    assert 200 <= found.status <= 599


def test_a_request_is_written_as_it_is_sent():
    address = check_url("http://acme.example:8080/feed?a=b")

    assert request_of("GET", address, [(b"Accept", b"*/*")], None) == (
        b"GET /feed?a=b HTTP/1.1\r\nHost: acme.example:8080\r\nAccept: */*\r\n\r\n"
    )
    assert request_of("POST", address, [], b"four").endswith(b"Content-Length: 4\r\n\r\nfour")


@pytest.mark.parametrize(
    "field",
    [
        (b"If-None-Match", b'"1"\r\nX: y'),
        (b"If-None-Match", b"a\nb"),
        (b"If-None-Match", b"a\rb"),
        (b"If-None-Match", b"a\0b"),
        (b"X: y\r\nZ", b"a"),
        (b"X Y", b"a"),
        (b"", b"a"),
    ],
)
def test_no_value_becomes_another_field_of_a_request(field):
    with pytest.raises(NotHttp):
        request_of("GET", check_url("http://acme.example/"), [field], None)
