"""Raw requests: what they are, and how what comes back is judged."""

import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator

import pytest

from conformance.http_messages import Request, Response
from conformance.wire import run as raw
from conformance.wire.cases import NOT_HTTP, OK, REFUSED, RawCase, raw_cases
from conformance.wire.line import command_line, printing
from conformance.wire.run import Ending, RawTarget, send_raw_cases, verdict

NO = b'{"error": "No.", "code": "invalid_request", "message": "No."}'


def answer(status, body=NO):
    return Ending(Response(Request("RAW", ""), status, {"content-type": "application/json"}, body))


PLAIN = RawCase("plain", b"", REFUSED)
BARE = RawCase("bare", b"", NOT_HTTP, bare=True)


@pytest.mark.parametrize(
    ("case", "ending", "faults"),
    [
        (PLAIN, answer(400), []),
        (PLAIN, answer(200, b"{}"), ["answered 200 instead of 400"]),
        (PLAIN, Ending(None), ["the connection was closed without an answer"]),
        (PLAIN, Ending(None, hung=True), ["still open after 30 seconds"]),
        (BARE, Ending(None), []),
        (BARE, Ending(None, hung=True), ["still open after 30 seconds"]),
        (BARE, answer(400, b"Bad Request"), []),
        (BARE, Ending(None, refused=True), ["no connection could be made"]),
    ],
)
def test_an_ending_is_judged_by_what_may_answer(case, ending, faults):
    assert list(verdict(case, ending)) == faults


def test_a_failure_of_the_service_is_never_allowed():
    for case in raw_cases():
        assert not {500, 502, 503, 504} & case.allowed
        assert list(verdict(case, answer(500)))


def test_a_bare_answer_to_a_request_that_was_http_is_a_fault():
    faults = list(verdict(PLAIN, answer(400, b"Bad Request")))

    assert [fault.rpartition("(")[2] for fault in faults] == [
        "every-body-is-json)",
        "every-no-is-an-error-object)",
    ]


def test_there_are_many_raw_requests_and_each_is_another():
    cases = list(raw_cases())

    assert len(cases) >= 60
    assert len({case.name for case in cases}) == len({case.request for case in cases}) == len(cases)


def test_a_shell_sends_every_raw_request_as_it_was_sent():
    for case in raw_cases():
        line = "; ".join(printing(case.request))
        sent = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout

        assert sent == case.request, case.name


def test_what_repeats_is_written_once():
    (large,) = [case for case in raw_cases() if case.name == "body: 70 KB"]

    assert len("; ".join(printing(large.request))) < 400


def test_a_request_without_an_end_is_kept_open():
    line = command_line(b"GET", "acme.example", 443, secure=True, unfinished=True)

    assert line == (
        "{ printf 'GET'; sleep 60; } | openssl s_client -quiet -connect acme.example:443"
    )


@pytest.fixture
def serve() -> Iterator:
    """Serve fixed bytes on loopback; returns the site's address."""
    servers = []

    def start(reply: bytes, *, stays_open: bool = False, hangs: bool = False) -> str:
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                asked = self.rfile.read1(65_536)
                self.wfile.write(reply)
                self.wfile.flush()
                while hangs and self.rfile.read1():
                    pass
                if stays_open and b"Connection: close" not in asked:
                    self.rfile.read1()

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_server_that_fails_at_everything_fails_every_raw_request(serve):
    head = b"HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\n"
    site = serve(head + b"Content-Length: %d\r\n\r\n" % len(NO) + NO)

    results = list(send_raw_cases(site, "/api/v1"))

    heard = [result for result in results if result.faults]
    assert len(heard) > 0.9 * len(results)  # what is cut off may end without an answer
    assert {result.group for result in results} == {"wire"}
    assert "nc 127.0.0.1" in heard[0].faults[0].curl


def test_a_server_that_serves_whatever_is_asked_is_found_out(serve):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    failed = {result.check for result in send_raw_cases(serve(head), "/api/v1") if result.faults}

    assert {"query: a parameter twice", "host: twice", "key: empty", "body: null"} <= failed
    answered = {case.name for case in raw_cases() if case.allowed == OK}
    assert answered & failed == set()
    assert "method: HEAD" in failed  # it sends a body even then


def test_requests_that_hang_are_waited_for_together(serve, monkeypatch):
    monkeypatch.setattr(raw, "LONGEST", 1.0)
    monkeypatch.setattr(raw, "_SLOW", 0.05)
    began = time.monotonic()

    results = list(send_raw_cases(serve(b"HTTP/1.1 200", hangs=True), "/api/v1"))

    assert {fault.sentence for result in results for fault in result.faults} == {
        "still open after 1 seconds"
    }
    assert all(result.seconds >= 0.9 for result in results)
    assert time.monotonic() - began < len(results) * 1.0 / 8


def test_only_what_a_specification_or_a_standard_demands_is_sent_on_demand(serve):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    results = list(send_raw_cases(serve(head), "/api/v1", only_specification=True))

    assert 20 <= len(results) < len(list(raw_cases()))
    assert {result.origin.partition(" ")[0] for result in results} == {"specification", "RFC"}
    assert all((result.says and "§" in result.origin) or "specification" in result.origin
               for result in results)  # fmt: skip


def test_an_answer_in_chunks_ends_with_its_last_one(serve):
    head = b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n"
    chunks = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(NO), NO)
    results = list(send_raw_cases(serve(head + chunks, stays_open=True), "/api/v1"))

    faults = [fault.sentence for result in results for fault in result.faults]
    assert [fault for fault in faults if "still open" in fault] == []
    assert {result.outcome for result in results if result.check.startswith("query")} == {"passed"}


def test_a_server_without_tls_is_none_with_it(serve):
    site = serve(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    results = list(send_raw_cases(site.replace("http:", "https:"), "/api/v1"))

    faults = {fault.sentence for result in results for fault in result.faults}
    assert faults == {"no connection could be made"}


def test_a_site_below_a_path_is_asked_below_it():
    (case,) = [case for case in raw_cases() if case.name == "query: emoji"]
    sent = RawTarget("https://acme.example/changes", "/api/v1").rendered(case)

    assert sent.startswith(b"GET /changes/api/v1/sources?q=")
    assert b"Host: acme.example\r\n" in sent
