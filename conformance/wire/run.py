"""Sends raw requests and judges what comes back."""

import contextlib
import http.client
import io
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from urllib.parse import urlsplit

from conformance.checks.universal import broken_rules
from conformance.exchange import Answer, Request
from conformance.report import Fault, Result
from conformance.wire.cases import RawCase, raw_cases

GROUP = "wire"
LONGEST = 30.0
"""Seconds after which a connection that is still open hangs; a request cut short included."""
_AT_ONCE = 8
_MOST_BYTES = 2_000_000
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Ending:
    """How a connection ended: with an answer, or without one."""

    answer: Answer | None
    hung: bool = False


def shoot(site: str, base_path: str, *, rate: float | None = None) -> Iterator[Result]:
    """The result of every raw request to a site; eight at a time unless a rate is given."""
    cases = list(raw_cases())
    if rate is not None:
        for case in cases:
            time.sleep(1 / rate)
            yield _result(site, base_path, case, _ending(site, base_path, case))
        return
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        endings = pool.map(lambda case: _ending(site, base_path, case), cases)
        for case, ending in zip(cases, endings, strict=True):
            yield _result(site, base_path, case, ending)


def _result(site: str, base_path: str, case: RawCase, ending: Ending) -> Result:
    shown = repr(_written(site, base_path, case)[:_SHOWN])[2:-1].replace("'", "\\047")
    address = urlsplit(site)
    summary = ending.answer.summary() if ending.answer else ""
    return Result(
        check=case.name,
        group=GROUP,
        operation="raw request",
        caller="no key",
        tried=1,
        faults=tuple(
            Fault(sentence, f"printf '{shown}' | nc {address.hostname} {_port(site)}", summary)
            for sentence in verdict(case, ending)
        ),
        says="No failure of the service, no hang, and every no of the service is the Error object.",
        origin="docs/decisions (errors)",
    )


def verdict(case: RawCase, ending: Ending) -> Iterator[str]:
    """What is wrong with how a raw request ended."""
    if ending.hung:
        yield f"still open after {LONGEST:g} seconds"
    elif ending.answer is None:
        if not case.bare:
            yield "the connection was closed without an answer"
    else:
        answer = ending.answer
        if answer.status not in case.allowed:
            allowed = ", ".join(map(str, sorted(case.allowed)))
            yield f"answered {answer.status} instead of {allowed}"
        if not case.bare:
            for rule, sentence in broken_rules(answer, of_api=True):
                yield f"{sentence} ({rule.name})"


def _ending(site: str, base_path: str, case: RawCase) -> Ending:
    address = urlsplit(site)
    secure = address.scheme == "https"
    host = str(address.hostname)
    deadline = time.monotonic() + LONGEST
    try:
        with socket.create_connection((host, _port(site)), timeout=LONGEST) as plain:
            wrapped = (
                ssl.create_default_context().wrap_socket(plain, server_hostname=host)
                if secure
                else plain
            )
            _send(wrapped, _written(site, base_path, case))
            found = _received(wrapped, deadline)
    except TimeoutError:
        return Ending(None, hung=True)
    except OSError:
        return Ending(None)
    return Ending(_parsed(found, Request("RAW", f"{site}{base_path}")))


def _port(site: str) -> int:
    address = urlsplit(site)
    return address.port or (443 if address.scheme == "https" else 80)


def _written(site: str, base_path: str, case: RawCase) -> bytes:
    """The request with the site's own host and paths in it."""
    host = urlsplit(site).netloc.encode()
    return case.request.replace(b"{host}", host).replace(b"{base}", base_path.encode())


def _send(connection: socket.socket, raw: bytes) -> None:
    """A server may answer and close before it has read everything: that is no fault."""
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        connection.sendall(raw)


def _received(connection: socket.socket, deadline: float) -> bytes:
    """Everything up to the end of the connection, or of the first whole answer."""
    found = b""
    while len(found) < _MOST_BYTES:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            piece = connection.recv(65_536)
        except ConnectionResetError:
            break
        if not piece:
            break
        found += piece
        if _is_whole(found):
            break
    return found


def _is_whole(found: bytes) -> bool:
    head, end, body = found.partition(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return bool(end) and len(body) >= int(line.partition(b":")[2])
    return False


class _Recorded(io.BytesIO):
    """Bytes that http.client reads as a socket."""

    def makefile(self, *_: object, **__: object) -> "_Recorded":
        return self


def _parsed(found: bytes, request: Request) -> Answer | None:
    response = http.client.HTTPResponse(_Recorded(found))  # type: ignore[arg-type]  # only makefile() is used
    try:
        response.begin()
        body = response.read()
    except (http.client.HTTPException, ValueError, OSError):
        return None
    headers = {name.lower(): value for name, value in response.getheaders()}
    return Answer(request, response.status, headers, body)
