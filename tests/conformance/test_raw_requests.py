"""Raw requests: what they are, and how what comes back is judged."""

import socketserver
import threading

import httpx2
import pytest

from conformance import raw_requests
from conformance.http_messages import Request, Response
from conformance.raw_requests import REQUESTS, faults_of, rendered, verdict
from conformance.site import Site

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


@pytest.fixture
def ends(serve):
    """Send every raw request to a server; return what is wrong with each end."""

    def ends(reply, *, secure=False, **options):
        address = serve(reply, **options).replace("http:", "https:" if secure else "http:")
        site = Site(httpx2.Client(), address, base_path="/api/v1")
        return {raw.name: faults_of(raw, site) for raw in REQUESTS}

    return ends


def test_a_server_that_fails_at_everything_fails_every_raw_request(ends):
    ended = ends(b"HTTP/1.1 500 Internal Server Error\r\n" + HEAD % len(NO) + NO)

    assert all("answered 500" in fault and "sent b'" in fault for fault in ended.values())


def test_a_server_that_serves_whatever_is_asked_is_found_out(ends):
    passed = {name for name, fault in ends(EVERYTHING).items() if not fault}

    assert passed == {"query: a percent sign cut off"}  # HEAD fails: a body came even then


def test_a_request_that_hangs_is_given_up(ends, monkeypatch):
    monkeypatch.setattr(raw_requests, "LONGEST", 0.2)

    ended = ends(b"HTTP/1.1 200", hangs=True)

    assert {fault.partition("\n")[0] for fault in ended.values()} == {
        "still open after 0.2 seconds"
    }


def test_a_server_without_tls_is_none_with_it(ends):
    ended = ends(EVERYTHING, secure=True)

    assert {fault.partition("\n")[0] for fault in ended.values()} == {"no connection could be made"}


def test_a_site_below_a_path_is_asked_below_it():
    sent = rendered(BY_NAME["method: HEAD"], "https://acme.example/changes", "/api/v1")

    assert sent.startswith(b"HEAD /changes/api/v1/sources HTTP/1.1\r\nHost: acme.example\r\n")
