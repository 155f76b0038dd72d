"""Fetch one document: the only module that sends requests to vendors.

Requests are conditional if there are validators. Each redirect is checked before it is followed.
Time and size are limited, and every failure is returned as a Failed outcome.
"""

import hashlib
import time
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from threading import BoundedSemaphore, Lock

import httpcore2
import httpx2

from ingest.fetching.client import LARGE_BYTES, Client, ClientClosed, NoRoom
from ingest.fetching.outcomes import (
    Failed,
    Failure,
    Fetched,
    Headers,
    NotModified,
    Outcome,
    Validators,
    as_headers,
    challenged,
    failure_of,
    freshness,
    renewed,
    retry_after,
    validators,
)
from outbound.backend import within
from outbound.guard import AddressRefused, ExchangeFailed
from outbound.response_fields import decode, too_large
from outbound.transport import check_url, join_url, origin_of, reason_of, request_for

_PERMANENT = frozenset({HTTPStatus.MOVED_PERMANENTLY, HTTPStatus.PERMANENT_REDIRECT})
_REDIRECTS = _PERMANENT | {HTTPStatus.FOUND, HTTPStatus.SEE_OTHER, HTTPStatus.TEMPORARY_REDIRECT}
_DOCUMENTS = frozenset({HTTPStatus.OK, HTTPStatus.NON_AUTHORITATIVE_INFORMATION})
_TAKING_SLOTS = Lock()  # else two threads could make two for a host

Fields = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One fetch with all its redirects. ``headers`` are sent to the origin of ``first`` only."""

    client: Client
    first: httpx2.URL
    accept: str
    validators: Validators | None
    headers: Fields
    now: datetime

    def request(self, url: httpx2.URL, sent: Validators | None) -> httpcore2.Request:
        """Return the request for one address, with its validators."""
        fields = [*self.client.headers, (b"Accept", self.accept.encode("ascii"))]
        if origin_of(url) == origin_of(self.first):
            fields += self.headers
        if sent is not None and sent.etag is not None:
            fields.append((b"If-None-Match", sent.etag.encode("latin-1")))
        if sent is not None and sent.last_modified is not None:
            fields.append((b"If-Modified-Since", sent.last_modified.encode("latin-1")))
        policy = self.client.policy
        connect, read = policy.connect.total_seconds(), policy.read.total_seconds()
        timeouts = {"connect": connect, "read": read, "write": read, "pool": None}
        return request_for(url, headers=fields, timeouts=timeouts)


def fetch(
    client: Client,
    url: str,
    *,
    now: datetime,
    accept: str,
    validators: Validators | None = None,
    headers: Fields = (),
) -> Outcome:
    """Request the document at ``url`` and return how that ended.

    ``validators`` are those of the last document that was parsed, sent only to the address
    they came from. ``headers`` are further fields (a token for an API); a redirect to another
    origin does not get them. ``now`` is for dates in the response.

    Nothing a vendor does makes this raise. Raises ClientClosed when the client was closed.
    """
    if client.closed.is_set():
        raise ClientClosed
    try:
        task = _Fetch(client, check_url(url), accept, validators, headers, now)
        try:
            return _follow(task)
        except NoRoom:
            client.room.wait(client.closed)  # not within the vendor's time
            return _follow(task)
    except Exception as error:
        if client.closed.is_set():
            raise ClientClosed from error
        failed = _failed(error)
        if failed is None:
            raise
        return failed


def _failed(error: Exception) -> Failed | None:
    """Return the failure that an error means, None if it is a bug."""
    message, failure = reason_of(error), Failure.CONNECTION
    if isinstance(error, ExchangeFailed):
        failure = Failure(error.reason)
    elif isinstance(error, AddressRefused):
        failure = Failure.ADDRESS_REFUSED
    elif isinstance(error, httpcore2.TimeoutException):
        failure = Failure.TIMEOUT
    return None if message is None else Failed(failure, message=message)


def _follow(task: _Fetch) -> Outcome:
    """Send requests until there is a response that is not a redirect."""
    policy, slots = task.client.policy, task.client.slots
    url, permanent_address, all_permanent = task.first, None, True
    visited, seconds = {str(url)}, policy.deadline.total_seconds()
    for _ in range(policy.max_redirects + 1):
        with _TAKING_SLOTS:
            slot = slots.setdefault(url.host, BoundedSemaphore(policy.connections_per_host))
        with slot:  # waiting for it is not the vendor's time
            started = time.monotonic()
            with within(seconds):
                outcome = _send(task, url)
            seconds -= time.monotonic() - started
        if isinstance(outcome, Failed):
            return outcome
        if not isinstance(outcome, tuple):
            return replace(outcome, permanent_address=permanent_address)
        location, is_permanent = outcome
        url = _redirect_target(url, location)
        if str(url) in visited:
            return Failed(Failure.REDIRECT_LOOP, message="The redirects form a loop.")
        visited.add(str(url))
        all_permanent = all_permanent and is_permanent
        permanent_address = str(url) if all_permanent else permanent_address
    return Failed(Failure.REDIRECT_LOOP, message="Too many redirects.")


def _redirect_target(url: httpx2.URL, location: str) -> httpx2.URL:
    target = join_url(url, location)
    if url.scheme == "https" and target.scheme == "http":
        raise AddressRefused("A redirect from https to http is not followed.")
    return target


def _send(task: _Fetch, url: httpx2.URL) -> Outcome | tuple[str, bool]:
    """Return the outcome of one request, or where it redirects to and whether for good."""
    is_theirs = task.validators is not None and task.validators.address == str(url)
    sent = task.validators if is_theirs else None
    with closing(task.client.transport.handle_request(task.request(url, sent))) as response:
        headers, status = as_headers(response.headers), response.status
        if status in _DOCUMENTS and not challenged(headers):
            return _document(task, url, response, headers)
        if status in _REDIRECTS and "location" in headers:
            return _as_text(headers["location"]), status in _PERMANENT
        if status == HTTPStatus.NOT_MODIFIED and sent is not None:
            response.read()  # to its end, which keeps the connection
            return NotModified(renewed(sent, headers), freshness=freshness(headers, now=task.now))
        return Failed(
            failure_of(status, headers),
            status=status,
            retry_after=retry_after(headers, now=task.now),
            message=f"The server responded with {status}.",
        )


def _as_text(value: str) -> str:
    """Return a field's value decoded as UTF-8 if it is valid, else as Latin-1."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeDecodeError:
        return value


def _document(
    task: _Fetch, url: httpx2.URL, response: httpcore2.Response, headers: Headers
) -> Fetched | Failed:
    body = _body(task.client, response, headers.get("content-encoding", ""))
    if not body or body.isspace():
        message = "The response is empty."
        return Failed(Failure.NO_CONTENT, status=response.status, message=message)
    return Fetched(
        body=body,
        content_type=headers.get("content-type"),
        address=str(url),
        validators=validators(headers, address=str(url)),
        freshness=freshness(headers, now=task.now),
        body_hash=hashlib.sha256(body).hexdigest(),
    )


def _body(client: Client, response: httpcore2.Response, coding: str) -> bytes:
    """Return the decoded body; a large one is read further once there is room for it."""
    pieces, size, most = [], 0, client.policy.max_bytes
    for piece in response.iter_stream():
        size += len(piece)
        if size > most:
            raise too_large(most)
        if size > LARGE_BYTES:
            client.room.take()
        pieces.append(piece)
    raw = b"".join(pieces)
    try:
        return decode(raw, coding, max_bytes=min(most, LARGE_BYTES))
    except ExchangeFailed as error:
        if error.reason != "too_large" or most <= LARGE_BYTES:
            raise
    client.room.take()
    return decode(raw, coding, max_bytes=most)
