"""HTTP servers in this process: vendors, receivers and collectors for a service on trial."""

import ssl
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread


class Handler(BaseHTTPRequestHandler):
    """Answers a request, and writes no line about it."""

    def respond(
        self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        """Send a whole answer."""
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


class Listener(ThreadingHTTPServer):
    """Listens at a free port, ``server_port``, from now until it is closed."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(
        self, handler: type[Handler], *, host: str = "127.0.0.1", certificate: Path | None = None
    ) -> None:
        """``certificate`` is a file with the key in it: TLS is spoken then."""
        super().__init__((host, 0), handler)
        self._tls = None if certificate is None else ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if self._tls is not None:
            self._tls.load_cert_chain(certificate)
        self._thread = Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens, at the first address of loopback."""
        return f"http://127.0.0.1:{self.server_port}"

    def get_request(self) -> tuple:
        """Accept a connection; the handshake is for the thread that answers."""
        connection, address = super().get_request()
        if self._tls is not None:
            connection = self._tls.wrap_socket(
                connection, server_side=True, do_handshake_on_connect=False
            )
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that hang up: they are part of what is tried."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop listening."""
        self.shutdown()
        self.server_close()
        self._thread.join()
