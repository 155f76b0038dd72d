"""A vendor's server on loopback, scripted per path, and clients that may reach it."""

import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from specimen.listener import Handler, Listener
from sqlalchemy import select

from ingest.fetching.client import Client, FetchPolicy, new_client
from ingest.fetching.fetch import fetch
from ingest.sandbox.parser_pool import ParserPool
from outbound.guard import AddressPolicy

LOOPBACK = (ip_network("127.0.0.0/8"), ip_network("::1/128"))
CERTIFICATE = Path(__file__).with_name("fetch_acme_example.pem")


@dataclass(frozen=True)
class Seen:
    """One request as it arrived."""

    path: str
    fields: list[tuple[str, str]]
    host: str
    client: tuple[str, int]

    def get(self, name: str) -> str | None:
        """Return the first value of a header field."""
        return next((v for k, v in self.fields if k.lower() == name.lower()), None)


@dataclass
class Reply:
    """One answer: a whole one, or whatever ``raw`` writes to the socket."""

    status: int = 200
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""
    raw: Callable[[Any], None] | None = None


class Site:
    """The scripted server. ``on`` takes a function of the request; ``reply`` a fixed answer."""

    def __init__(self, *, tls: bool = False) -> None:
        self.seen: list[Seen] = []
        self._scripts: dict[str, Callable[[Seen], Reply]] = {}
        self._lock = Lock()
        site = self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self):
                site._answer(self)

            def do_CONNECT(self):
                site._answer(self)

        self._listener = Listener(Answering, certificate=CERTIFICATE if tls else None)
        self.port = self._listener.server_port

    def emptied(self) -> "Site":
        """Forget all scripts and what was seen."""
        self.seen.clear()
        self._scripts.clear()
        return self

    def url(self, path: str = "/feed", *, host: str = "127.0.0.1", scheme: str = "http") -> str:
        """Return the address of a path, under any name that leads here."""
        return f"{scheme}://{host}:{self.port}{path}"

    def on(self, path: str, script: Callable[[Seen], Reply]) -> None:
        """Answer requests for ``path`` with what ``script`` returns."""
        self._scripts[path] = script

    def reply(
        self, path: str, status: int = 200, body: bytes = b"", raw=None, **headers: str
    ) -> None:
        """Answer every request for ``path`` alike; ``retry_after=`` is Retry-After."""
        fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
        self._scripts[path] = lambda _: Reply(status, fields, body, raw)

    def answer(self, status: int = 200, body: bytes = b"", **headers: str) -> Reply:
        """Return a Reply for use in scripts."""
        return Reply(status, [(k.replace("_", "-"), v) for k, v in headers.items()], body)

    def close(self) -> None:
        """Stop serving."""
        self._listener.close()

    def _answer(self, handler: Handler) -> None:
        fields = [(name, value) for name, value in handler.headers.raw_items()]
        seen = Seen(handler.path, fields, handler.headers.get("Host", ""), handler.client_address)
        with self._lock:
            self.seen.append(seen)
        script = self._scripts.get(handler.path.partition("?")[0])
        reply = script(seen) if script else Reply(404)
        if reply.raw is not None:
            handler.close_connection = True
            with suppress(OSError):
                reply.raw(handler.wfile)
            return
        handler.send_response_only(reply.status)  # adds no fields of its own
        for name, value in reply.headers:
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(reply.body)))
        handler.end_headers()
        if reply.status != 304:
            with suppress(OSError):
                handler.wfile.write(reply.body)


@pytest.fixture(scope="session")
def servers() -> Iterator[tuple[Site, Site]]:
    """The servers behind ``site`` and ``tls_site``."""
    both = Site(), Site(tls=True)
    yield both
    for server in both:
        server.close()


@pytest.fixture
def site(servers) -> Site:
    """A vendor's server, as yet without any page."""
    return servers[0].emptied()


@pytest.fixture
def tls_site(servers) -> Site:
    """A vendor's server with a certificate for acme.example."""
    return servers[1].emptied()


@pytest.fixture(scope="session")
def trusting() -> ssl.SSLContext:
    """A TLS context that trusts the certificate of ``tls_site``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(CERTIFICATE)
    return context


def numbers_and_local_names(host: str, port: int) -> list[str]:
    """Resolve what needs no name service, and give every ``.example`` name to loopback."""
    if host.rstrip(".").endswith(".example"):
        return ["127.0.0.1"]
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    return [str(sockaddr[0]) for *_, sockaddr in found]


@pytest.fixture
def make_client(trusting) -> Iterator[Callable[..., Client]]:
    """Make clients that may reach loopback; ``policy`` and any other argument can be given."""
    made: list[Client] = []

    def make(*, addresses: AddressPolicy | None = None, limits=None, **arguments: Any) -> Client:
        policy = FetchPolicy(addresses=addresses or AddressPolicy(LOOPBACK), **(limits or {}))
        arguments.setdefault("user_agent", "Changewire/1.0.0 (+https://changewire.example)")
        arguments.setdefault("resolver", numbers_and_local_names)
        arguments.setdefault("ssl_context", trusting)
        made.append(new_client(policy, **arguments))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def now() -> datetime:
    """A moment that all tests agree on."""
    return datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.fixture
def ask(make_client, now) -> Callable[..., Any]:
    """Fetch an address with a default client: ``ask(url)`` returns the outcome."""
    client = make_client()

    def ask_for(url: str, **arguments: Any) -> Any:
        arguments.setdefault("accept", "*/*")
        arguments.setdefault("now", now)
        return fetch(arguments.pop("client", client), url, **arguments)

    return ask_for


@pytest.fixture(scope="session")
def parsers() -> Iterator[ParserPool]:
    """The children that parse, shared by all tests."""
    with ParserPool(workers=1) as pool:
        yield pool


@pytest.fixture
def rows(database) -> Callable[[type], Sequence[Any]]:
    """Read all rows of a model: ``rows(Entry)``."""

    def rows(model):
        with database.read() as session:
            return session.scalars(select(model)).all()

    return rows
