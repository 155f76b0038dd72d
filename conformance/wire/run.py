"""Sends raw requests and checks the responses."""

import contextlib
import http.client
import io
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from urllib.parse import urlsplit

from conformance.checks.universal import broken_rules
from conformance.http_messages import Request, Response
from conformance.report import Fault, Result
from conformance.site import Pace
from conformance.wire.cases import RawCase, raw_cases
from conformance.wire.line import command_line

GROUP = "wire"
LONGEST = 30.0
"""Seconds after which a connection that is still open hangs; a request cut short included."""
_AT_ONCE = 8
"""How many requests are answered at once; one that is slow no longer counts."""
_SLOW = 2.0
"""Seconds after which a request makes way for the next, while its answer is waited for."""
_MOST_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Ending:
    """How a connection ended: with a response, or without one."""

    response: Response | None
    hung: bool = False
    refused: bool = False
    """True where there was no connection to begin with."""


@dataclass(frozen=True, slots=True)
class RawTarget:
    """The site that raw requests are sent to."""

    site: str
    base_path: str
    tls: ssl.SSLContext = field(default_factory=ssl.create_default_context, repr=False)

    @property
    def host(self) -> str:
        """The name or address that is connected to."""
        return str(urlsplit(self.site).hostname)

    @property
    def port(self) -> int:
        """The port that is connected to."""
        return urlsplit(self.site).port or (443 if self.is_secure else 80)

    @property
    def is_secure(self) -> bool:
        """True for https."""
        return urlsplit(self.site).scheme == "https"

    def rendered(self, case: RawCase) -> bytes:
        """Return the request with the host and the base path of the site."""
        site = urlsplit(self.site)
        host, base = site.netloc.encode(), f"{site.path}{self.base_path}".encode()
        return case.request.replace(b"{host}", host).replace(b"{base}", base)

    def connect(self, number: int) -> socket.socket:
        """Open a connection.

        On loopback each comes from an address of its own, if the system allows it: otherwise a rate
        limit by address would refuse most requests.
        """
        plain = self._connect_from(f"127.200.{number // 250}.{number % 250 + 1}")
        if not self.is_secure:
            return plain
        return self.tls.wrap_socket(plain, server_hostname=self.host)

    def _connect_from(self, origin: str) -> socket.socket:
        place = (self.host, self.port)
        if self.host.startswith("127."):
            with contextlib.suppress(OSError):
                return socket.create_connection(place, LONGEST, source_address=(origin, 0))
        return socket.create_connection(place, LONGEST)


class _Place:
    """One of the places for requests that are answered at once; left early by a slow one."""

    def __init__(self, places: BoundedSemaphore) -> None:
        self._places = places
        self._held = True
        places.acquire()
        self.until = time.monotonic() + _SLOW

    def leave(self) -> None:
        """Make way for the next request."""
        if self._held:
            self._held = False
            self._places.release()


def send_raw_cases(
    site: str,
    base_path: str,
    *,
    pace: Pace | None = None,
    only_specification: bool = False,
) -> Iterator[Result]:
    """Send every raw request to a site, eight at a time, and yield the results.

    Those that hang are waited for together.
    """
    target, turns, places = (
        RawTarget(site, base_path),
        pace or Pace(None),
        BoundedSemaphore(_AT_ONCE),
    )
    cases = [case for case in raw_cases() if case.is_specified or not only_specification]

    def fire(number: int) -> Result:
        case, place = cases[number], _Place(places)
        try:
            turns.wait()
            began = time.monotonic()
            ending = _ending(target, case, number, place)
        finally:
            place.leave()
        faults = _faults(target, case, ending, only_specification=only_specification)
        return _result(case, faults=faults, seconds=time.monotonic() - began)

    with ThreadPoolExecutor(len(cases)) as pool:
        yield from pool.map(fire, range(len(cases)))


def _faults(
    target: RawTarget, case: RawCase, ending: Ending, *, only_specification: bool
) -> tuple[Fault, ...]:
    line = command_line(
        target.rendered(case), target.host, target.port,
        secure=target.is_secure, unfinished=case.unfinished,
    )  # fmt: skip
    summary = ending.response.summary() if ending.response else ""
    sentences = verdict(case, ending, only_specification=only_specification)
    return tuple(Fault(sentence, line, summary) for sentence in sentences)


def _result(
    case: RawCase,
    *,
    faults: tuple[Fault, ...],
    seconds: float,
) -> Result:
    return Result(
        check=case.name,
        group=GROUP,
        operation="raw request",
        caller="no key",
        tried=1,
        faults=faults,
        says=case.says,
        origin=case.origin,
        seconds=seconds,
    )


def verdict(case: RawCase, ending: Ending, *, only_specification: bool = False) -> Iterator[str]:
    """Yield the faults of how a raw request ended."""
    if ending.refused:
        yield "no connection could be made"
    elif ending.hung:
        yield f"still open after {LONGEST:g} seconds"
    elif ending.response is None:
        if not case.bare:
            yield "the connection was closed without an answer"
    else:
        yield from _wrong(case, ending.response, only_specification=only_specification)


def _wrong(case: RawCase, response: Response, *, only_specification: bool) -> Iterator[str]:
    """Yield what is wrong with the response to a raw request."""
    if response.status not in case.allowed:
        allowed = ", ".join(map(str, sorted(case.allowed)))
        yield f"answered {response.status} instead of {allowed}"
    if case.is_head:
        if response.body:
            yield f"answered HEAD with a body of {len(response.body)} bytes"
    elif not case.bare:
        for rule, sentence in broken_rules(response, of_api=True):
            if rule.is_specified or not only_specification:
                yield f"{sentence} ({rule.name})"


def _ending(target: RawTarget, case: RawCase, number: int, place: _Place) -> Ending:
    deadline = time.monotonic() + LONGEST
    try:
        connection = target.connect(number)
    except OSError:
        return Ending(None, refused=True)
    try:
        with connection:
            _send(connection, target.rendered(case))
            received = _received(connection, deadline, place, to_the_end=case.is_head)
    except TimeoutError:
        return Ending(None, hung=True)
    except OSError:
        return Ending(None)
    request = Request("HEAD" if case.is_head else "RAW", f"{target.site}{target.base_path}")
    return Ending(_parsed(received, request))


def _send(connection: socket.socket, raw: bytes) -> None:
    """Send bytes; a server that responds and closes before it has read them all is no fault."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(raw)


def _received(
    connection: socket.socket, deadline: float, place: _Place, *, to_the_end: bool
) -> bytes:
    """Return what is received up to the end of the connection or of the first response."""
    received = b""
    while len(received) < _MOST_BYTES:
        now = time.monotonic()
        patience = place.until - now if place.until > now else deadline - now
        connection.settimeout(max(0.01, patience))
        try:
            piece = connection.recv(65_536)
        except ConnectionResetError:
            break
        except TimeoutError:
            place.leave()
            if time.monotonic() >= deadline:
                raise
            continue
        if not piece:
            break
        received += piece
        if not to_the_end and _is_whole(received):
            break
    return received


def _is_whole(received: bytes) -> bool:
    head, end, body = received.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name == b"content-length":
            return bool(end) and value.strip().isdigit() and len(body) >= int(value)
        if name == b"transfer-encoding":
            return body == b"0\r\n\r\n" or body.endswith(b"\r\n0\r\n\r\n")
    return False


class _Recorded(io.BytesIO):
    """Bytes that http.client reads as a socket."""

    def makefile(self, *_: object, **__: object) -> "_Recorded":
        return self


def _parsed(received: bytes, request: Request) -> Response | None:
    parsed = http.client.HTTPResponse(_Recorded(received), method=request.method)  # type: ignore[arg-type]  # only makefile() is used
    try:
        parsed.begin()
        body = parsed.read() or received.partition(b"\r\n\r\n")[2] * (request.method == "HEAD")
    except (http.client.HTTPException, ValueError, OSError):
        return None
    headers = {name.lower(): value for name, value in parsed.getheaders()}
    return Response(request, parsed.status, headers, body)
