"""Polite, bounded fetching of one document. The only place that asks a vendor for anything.

Conditional where the vendor gave validators, redirects followed by hand and checked at every
hop, time and size limited as a whole, every trouble returned as a Failed outcome.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus

from ingest.fetching.client import Client, ClientClosed
from ingest.fetching.headers import (
    Headers,
    as_headers,
    challenged,
    failure_of,
    freshness,
    renewed,
    retry_after,
    validators,
)
from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Outcome, Validators
from outbound.addresses import WebAddress, check_url
from outbound.connect import within
from outbound.faults import (
    BadCoding,
    Disconnected,
    NotHttp,
    ProxyRefused,
    TimedOut,
    TlsFailed,
    TooMuch,
)
from outbound.guard import AddressRefused, NameUnresolved
from outbound.transport import Answer

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
    (TimedOut, Failure.TIMEOUT, "The answer did not come, or end, in time."),
    (BadCoding, Failure.BAD_ENCODING, ""),
    (NotHttp, Failure.CONNECTION, "The answer was cut short or is not HTTP."),
    (ProxyRefused, Failure.CONNECTION, "The outgoing proxy refused."),
    (Disconnected, Failure.CONNECTION, "The connection was refused or lost."),
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

    first: WebAddress
    accept: str
    known: Validators | None
    headers: Mapping[str, str]
    now: datetime

    def fields(self, address: WebAddress) -> list[tuple[bytes, bytes]]:
        """Return the request's own header fields for one address."""
        fields = [(b"Accept", self.accept.encode("ascii"))]
        if address.origin == self.first.origin:
            fields += [(k.encode("ascii"), v.encode("latin-1")) for k, v in self.headers.items()]
        known = self.validators_of(address)
        if known is not None and known.etag is not None:
            fields.append((b"If-None-Match", known.etag.encode("latin-1")))
        if known is not None and known.last_modified is not None:
            fields.append((b"If-Modified-Since", known.last_modified.encode("latin-1")))
        return fields

    def validators_of(self, address: WebAddress) -> Validators | None:
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


def _next(address: WebAddress, location: str) -> WebAddress:
    target = address.joined(location)
    if address.scheme == "https" and target.scheme == "http":
        raise AddressRefused("A redirect from https to http is not followed.")
    return target


def _ask(client: Client, address: WebAddress, question: _Question) -> Outcome | _Redirected:
    fields = [*client.headers, *question.fields(address)]
    timeouts = client.policy.timeouts()
    with client.transport.asking("GET", address, fields, timeouts=timeouts) as answer:
        headers = as_headers(answer.fields)
        if answer.status in _DOCUMENTS and not challenged(headers):
            return _document(client, address, answer, headers, now=question.now)
        if answer.status in _REDIRECTS and "location" in headers:
            return _Redirected(_as_text(headers["location"]), permanent=answer.status in _PERMANENT)
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


def _as_text(value: str) -> str:
    """Return a field's value as the UTF-8 that it is, else as it is."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value


def _document(
    client: Client, address: WebAddress, answer: Answer, headers: Headers, *, now: datetime
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
