"""Polite, bounded fetching of one document. The only place that asks a vendor for anything.

Conditional where the vendor gave validators, redirects followed by hand and checked at every
hop, time and size limited as a whole, every trouble returned as a Failed outcome.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus

import httpx2

from ingest.client import Client, ClientClosed
from ingest.headers import (
    Headers,
    as_headers,
    challenged,
    failure_of,
    freshness,
    renewed,
    retry_after,
    validators,
)
from ingest.outcomes import Failed, Failure, Fetched, NotModified, Outcome, Validators
from outbound.connect import TlsFailed, within
from outbound.guard import AddressRefused, NameUnresolved, check_url
from outbound.transport import Answer, TooMuch

_PERMANENT = frozenset({HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT})
_REDIRECTS = _PERMANENT | {
    HTTPStatus.FOUND,
    HTTPStatus.SEE_OTHER,
    HTTPStatus.TEMPORARY_REDIRECT,
}
_DOCUMENTS = frozenset({HTTPStatus.OK, HTTPStatus.NON_AUTHORITATIVE_INFORMATION})
_CODINGS = frozenset({"", "identity", "gzip", "deflate", "br"})
_BY_ERROR: tuple[tuple[type[Exception], Failure, str], ...] = (
    (TlsFailed, Failure.TLS, ""),
    (httpx2.InvalidURL, Failure.ADDRESS_REFUSED, "A redirect leads to no web address."),
    (httpx2.UnsupportedProtocol, Failure.ADDRESS_REFUSED, "A redirect leads to no web address."),
    (httpx2.TimeoutException, Failure.TIMEOUT, "The answer did not come, or end, in time."),
    (httpx2.DecodingError, Failure.BAD_ENCODING, "The content coding is broken."),
    (httpx2.ProtocolError, Failure.CONNECTION, "The answer was cut short or is not HTTP."),
    (httpx2.ProxyError, Failure.CONNECTION, "The outgoing proxy refused."),
    (httpx2.TransportError, Failure.CONNECTION, "The connection was refused or lost."),
    (OSError, Failure.CONNECTION, "The connection was refused or lost."),
)


@dataclass(frozen=True, slots=True)
class _Redirected:
    """The vendor names another address."""

    location: str
    permanent: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked at every hop. ``headers`` go to the origin of ``first`` only."""

    first: httpx2.URL
    accept: str
    known: Validators | None
    headers: Mapping[str, str]
    now: datetime

    def fields(self, address: httpx2.URL) -> list[tuple[bytes, bytes]]:
        """Return the request's own header fields for one address."""
        fields = [(b"Accept", self.accept.encode("ascii"))]
        if _origin(address) == _origin(self.first):
            fields += [(k.encode("ascii"), v.encode("latin-1")) for k, v in self.headers.items()]
        known = self.validators_of(address)
        if known is not None and known.etag is not None:
            fields.append((b"If-None-Match", known.etag.encode("latin-1")))
        if known is not None and known.last_modified is not None:
            fields.append((b"If-Modified-Since", known.last_modified.encode("latin-1")))
        return fields

    def validators_of(self, address: httpx2.URL) -> Validators | None:
        """Return the validators if they came from this very address."""
        same = self.known is not None and self.known.address == str(address)
        return self.known if same else None


def fetch(
    client: Client,
    url: str,
    *,
    now: datetime,
    accept: str,
    known: Validators | None = None,
    headers: Mapping[str, str] | None = None,
) -> Outcome:
    """Ask for the document at ``url`` and return how that ended.

    ``known`` are the validators of the last document that was read, sent only to the address
    they came from. ``headers`` are further fields (a token for an API); a redirect to another
    origin does not get them. ``now`` is for dates in the answer.

    Nothing a vendor does makes this raise. Raises ClientClosed when we have stopped ourselves.
    """
    if client.closed.is_set():
        raise ClientClosed
    try:
        question = _Question(check_url(url), accept, known, headers or {}, now)
        return _follow(client, question)
    except Exception as error:
        if client.closed.is_set():
            raise ClientClosed from error
        failed = _failed(error, client)
        if failed is None:
            raise
        return failed


def _failed(error: Exception, client: Client) -> Failed | None:
    """Return what an error says about the vendor, None if it is an error of ours."""
    match error:
        case AddressRefused():
            return Failed(Failure.ADDRESS_REFUSED, message=str(error))
        case NameUnresolved():
            failure = Failure.DNS_TEMPORARY if error.temporary else Failure.DNS
            return Failed(failure, message=str(error))
        case TooMuch():
            return _too_large(client)
    for kind, failure, message in _BY_ERROR:
        if isinstance(error, kind):
            return Failed(failure, message=message or str(error))
    return None


def _follow(client: Client, question: _Question) -> Outcome:
    address, permanent_address, all_permanent = question.first, None, True
    seen = {str(address)}
    seconds = client.policy.deadline.total_seconds()
    for _ in range(client.policy.max_redirects + 1):
        with client.slots.one(address.host):  # waiting for our own slot is not the vendor's time
            started = time.monotonic()
            with within(seconds):
                answer = _ask(client, address, question)
            seconds -= time.monotonic() - started
        if not isinstance(answer, _Redirected):
            if isinstance(answer, Failed):
                return answer
            return replace(answer, permanent_address=permanent_address)
        address = _next(address, answer.location)
        if str(address) in seen:
            return Failed(Failure.REDIRECT_LOOP, message="The redirects lead in a circle.")
        seen.add(str(address))
        all_permanent = all_permanent and answer.permanent
        permanent_address = str(address) if all_permanent else permanent_address
    return Failed(Failure.REDIRECT_LOOP, message="There are too many redirects.")


def _next(address: httpx2.URL, location: str) -> httpx2.URL:
    target = check_url(address.join(location))
    if address.scheme == "https" and target.scheme == "http":
        raise AddressRefused("A redirect from https to http is not followed.")
    return target


def _ask(client: Client, address: httpx2.URL, question: _Question) -> Outcome | _Redirected:
    fields = [*client.headers, *question.fields(address)]
    with client.transport.get(address, fields, timeouts=client.policy.timeouts()) as answer:
        headers = as_headers(answer.headers)
        if answer.status in _DOCUMENTS and not challenged(headers):
            return _document(client, address, answer, headers, now=question.now)
        if answer.status in _REDIRECTS and "location" in headers:
            return _Redirected(answer.field("location"), permanent=answer.status in _PERMANENT)
        known = question.validators_of(address)
        if answer.status == HTTPStatus.NOT_MODIFIED and known is not None:
            answer.skip()
            return NotModified(
                renewed(known, headers), freshness=freshness(headers, now=question.now)
            )
        return Failed(
            failure_of(answer.status, headers),
            status=answer.status,
            retry_after=retry_after(headers, now=question.now),
            message=f"The server answered {answer.status}.",
        )


def _document(
    client: Client, address: httpx2.URL, answer: Answer, headers: Headers, *, now: datetime
) -> Outcome:
    status = answer.status
    if headers.get("content-encoding", "").strip().lower() not in _CODINGS:
        return Failed(Failure.BAD_ENCODING, status=status, message="The coding is not known.")
    body = _read_at_most(answer, client.policy.max_bytes)
    if body is None:
        return _too_large(client, status=status)
    if not body:
        return Failed(Failure.EMPTY, status=status, message="The answer has no content.")
    return Fetched(
        body=body,
        content_type=headers.get("content-type"),
        address=str(address),
        validators=validators(headers, address=str(address)),
        freshness=freshness(headers, now=now),
    )


def _read_at_most(answer: Answer, max_bytes: int) -> bytes | None:
    """Return the decoded content, None when there is more than ``max_bytes``."""
    body = bytearray()
    for piece in answer.pieces():
        body += piece
        if len(body) > max_bytes:
            return None
    return bytes(body)


def _too_large(client: Client, *, status: int | None = None) -> Failed:
    limit = client.policy.max_bytes // 1024
    return Failed(Failure.TOO_LARGE, status=status, message=f"More than {limit} KiB came.")


def _origin(address: httpx2.URL) -> tuple[str, str, int | None]:
    return address.scheme, address.host, address.port
