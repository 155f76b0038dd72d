"""Sends requests: conditional, with retries; every error is an exception."""

import contextlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import httpx2

from client.cache import Cache, name_of
from client.errors import (
    ERRORS,
    ApiError,
    ChangewireError,
    InvalidCall,
    UnexpectedAnswer,
    Unreachable,
)
from openapi.query import Query

BASE_PATH = "/api/v1"
"""The path of the API that this client is made for."""
_API = re.compile(r"/api/v[0-9]+$", re.ASCII)
RETRIED = frozenset({429, 502, 503, 504})
"""Statuses that are retried: the contract's, and those of a proxy whose service restarts."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to try.

    ``attempts`` includes the first. Waits double from ``first_wait``, or are as long as the service
    asks. If it asks for more than ``longest_wait``, its error is raised at once.
    """

    attempts: int = 4
    first_wait: timedelta = timedelta(seconds=0.5)
    longest_wait: timedelta = timedelta(minutes=1)

    def wait(self, tried: int, retry_after: timedelta | None, *, jitter: float) -> timedelta | None:
        """Return the wait after ``tried`` attempts, or None to give up.

        ``jitter``, 0 to 1, lengthens the client's own waits by up to a quarter, to spread clients.
        """
        requested = retry_after or timedelta(0)
        if tried >= self.attempts or requested > self.longest_wait:
            return None
        own = self.first_wait * float(2 ** min(tried - 1, 20)) * (1 + jitter / 4)
        return max(requested, min(own, self.longest_wait))


def retry_after_of(headers: Mapping[str, str]) -> timedelta | None:
    """Return the Retry-After of a response (RFC 9110 section 10.2.3), or None.

    A date is relative to the Date of the response, so that the local clock does not matter.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return timedelta(seconds=min(int(value[:9]), 10**8))
    with contextlib.suppress(ValueError, IndexError, TypeError):
        sent = parsedate_to_datetime(headers.get("date", ""))
        return max(parsedate_to_datetime(value) - sent, timedelta(0))
    return None


def base_url_of(url: str) -> str:
    """Return the API's base address from a site's address or from itself, whatever its version.

    Raises InvalidCall for anything but an http or https address.
    """
    try:
        parts = httpx2.URL(url.strip())
    except httpx2.InvalidURL as error:
        raise InvalidCall(f"{url!r} is not an address: {error}") from error
    if parts.scheme not in ("http", "https") or not parts.host or parts.query or parts.userinfo:
        raise InvalidCall(f"{url!r} is not an address such as https://changewire.example")
    path = parts.path.rstrip("/")
    return str(parts.copy_with(path=path if _API.search(path) else path + BASE_PATH, fragment=None))


def headers_of(api_key: str | None) -> dict[str, str]:
    """Return the headers of every request; raises InvalidCall for a key that cannot be sent."""
    headers = {"Accept": "application/json", "User-Agent": f"Changewire/{_version()}"}
    if api_key is None:
        return headers
    if not re.fullmatch("[!-~]+", api_key):
        raise InvalidCall(f"The API key {'has invalid characters' if api_key else 'is empty'}.")
    return headers | {"Authorization": f"Bearer {api_key}"}


def _version() -> str:
    """Return the version of the distribution that has this package."""
    for name in ("changewire-client", "changewire"):
        with contextlib.suppress(PackageNotFoundError):
            return version(name)
    return "unknown"


@dataclass(frozen=True, slots=True)
class Transport:
    """Sends requests with one key. Threads may share it."""

    http: httpx2.Client
    base_url: str
    api_key: str | None
    timeout: float
    retry: RetryPolicy
    cache: Cache
    sleep: Callable[[float], None]
    jitter: Callable[[], float]

    def get(self, query: Query, **changes: Any) -> dict[str, Any]:
        """Return the response to a query with some parameters changed, a 304's from the cache."""
        sent = query.to_link(**changes)
        address = f"{self.base_url}{query.PATH}" + (f"?{sent}" if sent else "")
        timeout = self.timeout + (getattr(query, "wait", 0) or 0)
        try:
            request = self.http.build_request("GET", address, timeout=timeout)
        except httpx2.InvalidURL as error:
            message = f"The request would be too long: {error}."
            raise InvalidCall(message, hint="Name fewer values.") from error
        name = name_of(self.api_key, str(request.url))
        cached = self.cache.find(name)
        if cached is not None:
            request.headers["If-None-Match"] = cached[0]
        response = self.attempt(lambda: self.http.send(request))
        if response.status_code == httpx2.codes.NOT_MODIFIED and cached is not None:
            return _object(response, cached[1])
        answer = _object(response, response.content)
        etag = response.headers.get("etag")
        if etag and etag.isascii() and "no-store" not in response.headers.get("cache-control", ""):
            with contextlib.suppress(OSError):  # a full disk must not lose the response
                self.cache.save(name, (etag, response.content))
        return answer

    def post(self, path: str, body: Mapping[str, object], once: str | None) -> dict[str, Any]:
        """Send a body; with ``once``, an Idempotency-Key, again where a connection was lost."""
        headers = {} if once is None else {"Idempotency-Key": once}
        request = self.http.build_request("POST", self.base_url + path, json=body, headers=headers)
        response = self.attempt(lambda: self.http.send(request), repeatable=once is not None)
        return _object(response, response.content)

    def save(self, address: str, headers: Mapping[str, str], file: Path) -> httpx2.Response:
        """Write the body of a response to a file; the body of a 206 is appended.

        One attempt only: raises httpx2.RequestError where the connection is lost.
        """
        with self.http.stream("GET", address, headers=headers) as response:
            if response.is_success:
                is_part = response.status_code == httpx2.codes.PARTIAL_CONTENT
                with file.open("ab" if is_part else "wb") as target:
                    for chunk in response.iter_raw():
                        target.write(chunk)
            else:
                response.read()
        return response

    def attempt(
        self, send: Callable[[], httpx2.Response], *, repeatable: bool = True
    ) -> httpx2.Response:
        """Return the response to a request, which is retried as the policy says."""
        attempts = 0
        while True:
            attempts += 1
            try:
                response = send()
            except httpx2.RequestError as error:
                failure: ChangewireError = self._unreachable(error)
                lost = isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError))
                again, retry_after = repeatable and lost, None  # a time-out is final
            else:
                if response.is_success or response.status_code == httpx2.codes.NOT_MODIFIED:
                    return response
                failure, retry_after = _failure(response), retry_after_of(response.headers)
                again = response.status_code in RETRIED
            wait = self.retry.wait(attempts, retry_after, jitter=self.jitter()) if again else None
            if wait is None:
                raise failure
            self.sleep(wait.total_seconds())

    def _unreachable(self, error: httpx2.RequestError) -> Unreachable:
        if isinstance(error, httpx2.TimeoutException):
            return Unreachable(f"{self.base_url} did not answer in time.")
        reason = str(error).rpartition("] ")[2] or type(error).__name__  # without the errno
        reason = "it does not use TLS; try http://" if "wrong version" in reason else reason
        return Unreachable(f"{self.base_url} cannot be reached: {reason}.")


def _object(response: httpx2.Response, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body; raises UnexpectedAnswer."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise _unexpected(response)
    return document


def _failure(response: httpx2.Response) -> ChangewireError:
    """Return the exception for a response that is not a success."""
    try:
        error = _object(response, response.content)
    except UnexpectedAnswer as unexpected:
        return unexpected
    code, message, hint = error.get("code"), error.get("message"), error.get("hint")
    if not isinstance(code, str) or not isinstance(message, str):
        return _unexpected(response)
    return ERRORS.get(code, ApiError)(
        message,
        code=code,
        status=response.status_code,
        hint=hint if isinstance(hint, str) else None,
        request_id=response.headers.get("x-request-id"),
        retry_after=retry_after_of(response.headers),
    )


def _unexpected(response: httpx2.Response) -> UnexpectedAnswer:
    where = response.headers.get("location")
    moved = f" and points to {where}" if where and response.is_redirect else ""
    return UnexpectedAnswer(
        f"{response.url.copy_with(query=None)} answered {response.status_code}{moved}, "
        "which is not an answer of this API.",
        hint="Check the address of the API.",
    )
