"""One message to one address: over TLS, to public addresses, within ten seconds, no redirects."""

import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import Final

import httpx2

from outbound.backend import TlsFailed
from outbound.content_coding import ContentTooLarge
from outbound.deadline import within
from outbound.guard import AddressRefused, NameUnresolved, Resolver, system_resolver
from outbound.networks import Network
from outbound.targets import check_target, plain_policy, tls_policy
from outbound.transport import GuardedTransport

WITHIN: Final = timedelta(seconds=10)
KEPT_OF_ANSWER: Final = 1024  # bytes
MOST_BYTES: Final = 64 * 1024  # in one piece off the wire
TOO_LATE: Final = f"No answer came within {WITHIN.seconds} seconds."
ONLY_TLS: Final = "The operator does not allow http there; use https."
_FAULTS: Final = (
    (httpx2.TimeoutException, TOO_LATE),
    (httpx2.UnsupportedProtocol, "This is not a web address."),
    (httpx2.ProtocolError, "The answer was cut short or is not HTTP."),
    (httpx2.ProxyError, "The outgoing proxy refused."),
    (httpx2.TransportError, "The connection was refused or lost."),
    (OSError, "The connection was refused or lost."),
)


class SenderClosed(Exception):
    """We stopped ourselves: nothing is known about the receiver."""


@dataclass(frozen=True, slots=True)
class Answer:
    """How a message was received. ``fault`` is None when it was taken (2xx).

    ``status`` is None when no answer came. ``retry_after`` is the field as it was sent.
    """

    status: int | None
    fault: str | None
    took: timedelta
    body: bytes = b""
    retry_after: str = ""


class Sender:
    """Sends messages from any number of threads."""

    def __init__(
        self,
        *,
        user_agent: str,
        allow: Sequence[Network] = (),
        proxy: str | None = None,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
        time_limit: timedelta = WITHIN,
    ) -> None:
        self._allow = tuple(allow)
        self._time_limit = time_limit
        seconds = time_limit.total_seconds()
        self._timeouts = {"connect": seconds, "read": seconds, "write": seconds, "pool": None}
        self._closed = Event()
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": user_agent,
        }
        context = ssl_context or httpx2.create_ssl_context(trust_env=False)
        policies = {"https": tls_policy(allow), "http": plain_policy(allow)}
        self._transports = {
            scheme: GuardedTransport(
                policy,
                resolver=resolver,
                ssl_context=context,
                max_bytes=MOST_BYTES,
                proxy=proxy,
            )
            for scheme, policy in policies.items()
        }

    @property
    def closed(self) -> bool:
        """Tell whether nothing is sent any more."""
        return self._closed.is_set()

    def close(self) -> None:
        """Close every connection; what is under way ends at once with SenderClosed."""
        self._closed.set()
        for transport in self._transports.values():
            transport.close()

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """Send one message and return how that ended. Raises SenderClosed and errors of ours."""
        if self.closed:
            raise SenderClosed
        started = time.monotonic()
        try:
            with within(self._time_limit.total_seconds()):
                return self._answer(url, body, headers, started)
        except Exception as error:
            if self.closed:
                raise SenderClosed from error
            fault = _fault_of(error, url)
            if fault is None:
                raise
            return Answer(None, fault, _since(started))

    def _answer(self, url: str, body: bytes, headers: Mapping[str, str], started: float) -> Answer:
        target = check_target(url, allow=self._allow)
        request = httpx2.Request(
            "POST",
            target,
            headers={**self._headers, **headers},
            content=body,
            extensions={"timeout": self._timeouts},
        )
        with closing(self._transports[target.scheme].handle_request(request)) as response:
            return Answer(
                response.status_code,
                fault_of_status(response.status_code),
                _since(started),
                _first_bytes(response),
                response.headers.get("retry-after", ""),
            )


def fault_of_status(status: int) -> str | None:
    """Return what is wrong with a status; None for 2xx, the only ones that take a message."""
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The answer was {status}; redirects are not followed."
    return f"The answer was {status}."


def _first_bytes(response: httpx2.Response) -> bytes:
    """Return the beginning of the answer; the status has decided, so trouble here is none."""
    found = b""
    with suppress(httpx2.HTTPError, OSError, ContentTooLarge):
        for piece in response.iter_raw():
            found += piece
            if len(found) >= KEPT_OF_ANSWER:
                break
    return found[:KEPT_OF_ANSWER]


def _fault_of(error: Exception, url: str) -> str | None:
    """Return what an error says about the receiver, None if it is an error of ours."""
    if isinstance(error, AddressRefused) and url.startswith("http:"):
        return ONLY_TLS
    if isinstance(error, AddressRefused | NameUnresolved | TlsFailed):
        return str(error)
    return next((fault for kind, fault in _FAULTS if isinstance(error, kind)), None)


def _since(started: float) -> timedelta:
    return timedelta(seconds=time.monotonic() - started)
