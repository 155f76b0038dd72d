"""Send one message: over TLS, to public addresses, within ten seconds, without redirects."""

import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import Final

import httpcore2
import httpx2

from outbound.backend import within
from outbound.guard import AddressRefused, Network, Resolver, system_resolver
from outbound.targets import check_target, plain_policy, tls_policy
from outbound.transport import GuardedTransport, reason_of, request_for

TIMEOUT: Final = timedelta(seconds=10)
STORED_BYTES: Final = 1024  # of a response
TIMED_OUT: Final = f"No response within {TIMEOUT.seconds} seconds."
ONLY_TLS: Final = "The operator does not allow http there; use https."


class WebhookClientClosed(Exception):
    """The client was closed before or during a request; that says nothing about the receiver."""


@dataclass(frozen=True, slots=True)
class SendResult:
    """The result of sending a message. ``fault`` is None when it was accepted (2xx).

    ``status`` is None when no response came. ``retry_after`` is the field as it was sent.
    """

    status: int | None
    fault: str | None
    duration: timedelta
    body: bytes = b""
    retry_after: str = ""


class WebhookClient:
    """Sends messages from any number of threads."""

    def __init__(
        self,
        *,
        user_agent: str,
        allow: Sequence[Network] = (),
        proxy: str | None = None,
        resolver: Resolver = system_resolver,
        ssl_context: ssl.SSLContext | None = None,
        timeout: timedelta = TIMEOUT,
    ) -> None:
        self._allow = tuple(allow)
        self._closed = Event()
        self._seconds = timeout.total_seconds()
        self._headers = {
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": user_agent,
        }
        context = ssl_context or httpx2.create_ssl_context(trust_env=False)
        policies = {"https": tls_policy(allow), "http": plain_policy(allow)}
        self._transports = {
            scheme: GuardedTransport(policy, resolver=resolver, ssl_context=context, proxy=proxy)
            for scheme, policy in policies.items()
        }

    @property
    def closed(self) -> bool:
        """Return True once nothing is sent any more."""
        return self._closed.is_set()

    def close(self) -> None:
        """Close all connections; requests in progress raise WebhookClientClosed."""
        self._closed.set()
        for transport in self._transports.values():
            transport.close()

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> SendResult:
        """Send one message and return how that ended.

        Raises WebhookClientClosed, and errors that are not the receiver's.
        """
        if self.closed:
            raise WebhookClientClosed
        started = time.monotonic()
        try:
            with within(self._seconds):
                return self._post(url, body, headers, started)
        except Exception as error:
            if self.closed:
                raise WebhookClientClosed from error
            fault = _fault_of(error, url)
            if fault is None:
                raise
            return SendResult(None, fault, _since(started))

    def _post(
        self, url: str, body: bytes, headers: Mapping[str, str], started: float
    ) -> SendResult:
        target = check_target(url, allow=self._allow)
        request = request_for(
            target,
            method="POST",
            headers=httpx2.Headers({**self._headers, **headers}).raw,
            content=body,
            timeouts=httpx2.Timeout(self._seconds, pool=None).as_dict(),
        )
        with closing(self._transports[target.scheme].handle_request(request)) as response:
            return SendResult(
                response.status,
                fault_of_status(response.status),
                _since(started),
                _first_bytes(response),
                httpx2.Headers(response.headers).get("retry-after", ""),
            )


def fault_of_status(status: int) -> str | None:
    """Return the fault of a status; None for 2xx."""
    if 200 <= status < 300:
        return None
    if 300 <= status < 400:
        return f"The response was {status}; redirects are not followed."
    return f"The response was {status}."


def _first_bytes(response: httpcore2.Response) -> bytes:
    """Return the beginning of the content, ignoring errors: the status has decided."""
    content = b""
    try:
        for piece in response.iter_stream():
            content += piece
            if len(content) >= STORED_BYTES:
                break
    except Exception as error:
        if reason_of(error) is None:
            raise
    return content[:STORED_BYTES]


def _fault_of(error: Exception, url: str) -> str | None:
    """Return what an error says about the receiver, None if it is our own error."""
    if isinstance(error, AddressRefused) and url.startswith("http:"):
        return ONLY_TLS
    return TIMED_OUT if isinstance(error, httpcore2.TimeoutException) else reason_of(error)


def _since(started: float) -> timedelta:
    return timedelta(seconds=time.monotonic() - started)
