"""A port of this machine to which the site redirects the browser (RFC 8252 section 7.3)."""

import hmac
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Final
from urllib.parse import parse_qs, urlsplit

SECONDS_A_REQUEST: Final = 5
SECONDS_A_TURN: Final = 1.0


@dataclass(slots=True)
class Loopback:
    """Waits for the browser. ``state``: a secret that only the opened page knows."""

    server: HTTPServer
    state: str
    answers: list[dict[str, str]] = field(default_factory=list)

    @property
    def port(self) -> int:
        """The port that the browser comes to."""
        return self.server.server_port

    def wait(self, still: Callable[[], bool]) -> dict[str, str] | None:
        """Return the parameters that the browser sent; None if none came while ``still`` held."""
        while not self.answers and still():
            self.server.handle_request()
        return self.answers[0] if self.answers else None


@contextmanager
def loopback(state: str, done: str) -> Iterator[Loopback]:
    """Listen on a free port; the browser is led on to ``done``, the address of a page."""

    class Receiver(BaseHTTPRequestHandler):
        timeout = SECONDS_A_REQUEST

        def do_GET(self) -> None:
            answer = {
                name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()
            }
            if not hmac.compare_digest(answer.get("state", "").encode(), state.encode()):
                self.send_error(404)
                return
            waiting.answers.append(answer)
            self.send_response(303)
            self.send_header("Location", f"{done}?allowed={int('once' in answer)}")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing: the address holds a secret."""

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.timeout = SECONDS_A_TURN
        waiting = Loopback(server, state)
        yield waiting
