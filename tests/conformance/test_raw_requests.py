"""Raw requests: what they are, and how what comes back is judged."""

import socketserver
import threading

import httpx2
import pytest

from conformance import raw_requests
from conformance.http_messages import Request, Response
from conformance.raw_requests import REQUESTS, faults_of, verdict
from conformance.site import Site

NO = b'{"error": "No.", "code": "invalid_request", "message": "No."}'
HEAD = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
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

    def ends(reply, **options):
        site = Site(httpx2.Client(), serve(reply, **options), base_path="/api/v1")
        return {raw.name: faults_of(raw, site) for raw in REQUESTS}

    return ends


def test_a_server_that_fails_at_everything_fails_every_raw_request(ends):
    ended = ends(b"HTTP/1.1 500 Internal Server Error\r\n" + HEAD % len(NO) + NO)

    assert all("answered 500" in fault and "sent b'" in fault for fault in ended.values())


def test_a_request_that_hangs_is_given_up(ends, monkeypatch):
    monkeypatch.setattr(raw_requests, "LONGEST_SECONDS", 0.2)

    ended = ends(b"HTTP/1.1 200", hangs=True)

    assert {fault.partition("\n")[0] for fault in ended.values()} == {
        "still open after 0.2 seconds"
    }
