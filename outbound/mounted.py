"""The guarded way out as a transport of httpx2, for who needs a whole client."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

import httpx2

from outbound.addresses import check_url
from outbound.faults import Disconnected, Fault, NotHttp, ProxyRefused, TimedOut
from outbound.transport import Answer, Transport

_ERRORS: Final[tuple[tuple[type[Fault], type[httpx2.TransportError]], ...]] = (
    (TimedOut, httpx2.TimeoutException),
    (Disconnected, httpx2.NetworkError),
    (NotHttp, httpx2.RemoteProtocolError),
    (ProxyRefused, httpx2.ProxyError),
)
_OURS: Final = {b"host", b"content-length", b"transfer-encoding"}


class GuardedTransport(httpx2.BaseTransport):
    """Sends an httpx2 client's requests through a Transport."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send one request. Raises httpx2's errors, AddressRefused, NameUnresolved, TlsFailed."""
        asking = self._transport.asking(
            request.method,
            check_url(str(request.url)),
            [each for each in request.headers.raw if each[0].lower() not in _OURS],
            content=request.read(),
            timeouts=request.extensions.get("timeout", {}),
        )
        with _as_httpx2():
            answer = asking.__enter__()
        return httpx2.Response(answer.status, headers=answer.fields, stream=_Body(answer, asking))

    def close(self) -> None:
        """Close every connection."""
        self._transport.close()


class _Body(httpx2.SyncByteStream):
    """The content as it comes, until it is closed."""

    def __init__(self, answer: Answer, asking: AbstractContextManager[Answer]) -> None:
        self._answer = answer
        self._asking: AbstractContextManager[Answer] | None = asking

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx2():
            yield from self._answer.body

    def close(self) -> None:
        if self._asking is not None:
            asking, self._asking = self._asking, None
            asking.__exit__(None, None, None)


@contextmanager
def _as_httpx2() -> Iterator[None]:
    """Raise faults as the errors that a client of httpx2 expects."""
    try:
        yield
    except Fault as fault:
        for ours, theirs in _ERRORS:
            if isinstance(fault, ours):
                raise theirs(str(fault)) from fault
        raise
