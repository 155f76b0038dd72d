"""Raw requests: what they are, and how what comes back is judged."""

import socketserver
import subprocess
import threading
import time
from urllib.parse import urlsplit

import pytest

from conformance import raw_requests
from conformance.http_messages import Request, Response
from conformance.raw_requests import REQUESTS, command_line, rendered, send_raw_requests, verdict
from conformance.site import Pace

NO = b'{"error": "No.", "code": "invalid_request", "message": "No."}'
HEAD = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
EVERYTHING = b"HTTP/1.1 200 OK\r\n" + HEAD % 2 + b"{}"
BY_NAME = {raw.name: raw for raw in REQUESTS}
PLAIN, BARE = BY_NAME["body: deeply nested"], BY_NAME["host: missing"]


def response(status, body=NO):
    return Response(Request("RAW", ""), status, {"content-type": "application/json"}, body)


@pytest.mark.parametrize(
    ("raw", "received", "trouble", "faults"),
    [
        (PLAIN, response(400), "", []),
        (PLAIN, response(200, b"{}"), "", ["answered 200 instead of 400, 413, 429"]),
        (PLAIN, None, "", ["the connection was closed without an answer"]),
        (PLAIN, None, "it hangs", ["it hangs"]),
        (BARE, None, "", []),
        (BARE, None, "it hangs", ["it hangs"]),
        (BARE, response(400, b"Bad Request"), "", []),
    ],
)
def test_an_ending_is_judged_by_what_may_answer(raw, received, trouble, faults):
    assert list(verdict(raw, received, trouble)) == faults


def test_a_bare_answer_to_a_request_that_was_http_is_a_fault():
    faults = list(verdict(PLAIN, response(400, b"Bad Request"), ""))

    assert [fault.rpartition("(")[2] for fault in faults] == [
        "every-body-is-json)",
        "every-no-is-an-error-object)",
    ]


@pytest.mark.parametrize("raw", REQUESTS, ids=BY_NAME)
def test_a_shell_sends_a_raw_request_as_it_was_sent(raw):
    command = command_line(raw.sent, urlsplit("http://acme.example"), unfinished=False)
    printed, _, tool = command.rpartition(" | ")

    assert tool == "nc acme.example 80"
    assert subprocess.run(["sh", "-c", printed], capture_output=True).stdout == raw.sent


def test_a_request_without_an_end_is_kept_open():
    line = command_line(b"GET", urlsplit("https://acme.example"), unfinished=True)

    assert line == (
        "{ printf 'GET'; sleep 60; } | openssl s_client -quiet -connect acme.example:443"
    )


@pytest.fixture
def serve():
    """Serve fixed bytes on loopback; returns the site's address."""
    servers = []

    def start(reply, *, hangs=False):
        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.rfile.read1(65_536)
                self.wfile.write(reply)
                self.wfile.flush()
                while hangs and self.rfile.read1():
                    pass

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def send(site, **options):
    return list(send_raw_requests(site, "/api/v1", pace=Pace(None), **options))


def test_a_server_that_fails_at_everything_fails_every_raw_request(serve):
    site = serve(b"HTTP/1.1 500 Internal Server Error\r\n" + HEAD % len(NO) + NO)

    results = send(site)

    assert {result.outcome for result in results} == {"failed"}
    assert "nc 127.0.0.1" in results[0].faults[0].curl


def test_a_server_that_serves_whatever_is_asked_is_found_out(serve):
    passed = {result.check for result in send(serve(EVERYTHING)) if not result.faults}

    assert passed == {"query: a percent sign cut off"}  # HEAD fails: a body came even then


def test_requests_that_hang_are_waited_for_together(serve, monkeypatch):
    monkeypatch.setattr(raw_requests, "LONGEST", 1.0)
    began = time.monotonic()

    results = send(serve(b"HTTP/1.1 200", hangs=True))

    assert {fault.sentence for result in results for fault in result.faults} == {
        "still open after 1 seconds"
    }
    assert time.monotonic() - began < len(results) / 2


def test_only_what_a_standard_demands_is_sent_on_demand(serve):
    results = send(serve(EVERYTHING), only_specification=True)

    assert len(results) == 5
    assert {result.origin.partition(" ")[0] for result in results} == {"RFC"}


def test_a_server_without_tls_is_none_with_it(serve):
    results = send(serve(EVERYTHING).replace("http:", "https:"))

    faults = {fault.sentence for result in results for fault in result.faults}
    assert faults == {"no connection could be made"}


def test_a_site_below_a_path_is_asked_below_it():
    sent = rendered(BY_NAME["method: HEAD"], "https://acme.example/changes", "/api/v1")

    assert sent.startswith(b"HEAD /changes/api/v1/sources HTTP/1.1\r\nHost: acme.example\r\n")
