"""Sends requests: conditional, with retries; every error is an exception."""

import contextlib
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import httpx2

from client.cache import Cache, CachedAnswer, name_of
from client.errors import ChangewireError, InvalidCall, Unreachable
from client.responses import failure_of, object_of
from client.retry import RETRIED, RetryPolicy, retry_after_of
from openapi.query import Query

BASE_PATH = "/api/v1"
"""Where the API of the contract stands that this client is generated from."""
_API = re.compile(r"/api/v[0-9]+$", re.ASCII)
PARTIAL_CONTENT = 206
NOT_MODIFIED = 304
KEY_HEADER = "Idempotency-Key"


def _version() -> str:
    """Return the version of the distribution that has this package."""
    for name in ("changewire-client", "changewire"):
        with contextlib.suppress(PackageNotFoundError):
            return version(name)
    return "unknown"


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


def reason_of(error: httpx2.RequestError) -> str:
    """Return what a request failed for, without the number that systems give it."""
    return str(error).rpartition("] ")[2] or type(error).__name__


class Transport:
    """Sends requests with one key. Threads may share it."""

    def __init__(
        self,
        url: str,
        api_key: str | None,
        *,
        timeout: timedelta,
        retry: RetryPolicy,
        cache: Cache,
        sleep: Callable[[float], None],
        jitter: Callable[[], float],
        trust_env: bool,
        transport: httpx2.BaseTransport | None,
    ) -> None:
        """Raises InvalidCall for an address or a key that cannot be sent."""
        self.base_url = base_url_of(url)
        headers = {
            "Accept": "application/json",
            "User-Agent": f"Changewire/{_version()}",
        }
        if api_key is not None:
            if not (api_key.isascii() and api_key.isprintable()) or " " in api_key or not api_key:
                raise InvalidCall("The API key holds characters that no key has.")
            headers["Authorization"] = f"Bearer {api_key}"
        self._api_key = api_key
        self._timeout = timeout.total_seconds()
        self._retry, self._cache, self.sleep, self._jitter = retry, cache, sleep, jitter
        self._http = httpx2.Client(
            headers=headers,
            timeout=self._timeout,
            follow_redirects=False,  # a key is sent to this address and to no other
            trust_env=trust_env,
            transport=transport,
        )

    @property
    def bulk_url(self) -> str:
        """The address of the daily file, which stands beside the API."""
        return f"{_API.sub('', self.base_url)}/bulk"

    def close(self) -> None:
        """Close every connection."""
        self._http.close()

    def get(self, query: Query, **changes: Any) -> dict[str, Any]:
        """Return the response to a query with some parameters changed.

        A 304 is answered from the cache.
        """
        sent = query.to_link(**changes)
        address = f"{self.base_url}{query.PATH}" + (f"?{sent}" if sent else "")
        timeout = self._timeout + (getattr(query, "wait", 0) or 0)
        try:
            request = self._http.build_request("GET", address, timeout=timeout)
        except httpx2.InvalidURL as error:
            raise InvalidCall(
                f"The request would be too long: {error}.", hint="Name fewer values."
            ) from error
        name = name_of(self._api_key, str(request.url))
        cached = self._cache.find(name)
        if cached is not None:
            request.headers["If-None-Match"] = cached.etag
        response = self._send(request)
        if response.status_code == NOT_MODIFIED and cached is not None:
            return object_of(response, cached.body)
        answer = object_of(response, response.content)
        etag = response.headers.get("etag")
        if etag and etag.isascii() and "no-store" not in response.headers.get("cache-control", ""):
            with contextlib.suppress(OSError):  # a full disk must not lose the response
                self._cache.save(name, CachedAnswer(etag, response.content))
        return answer

    def post(
        self, path: str, body: Mapping[str, object], *, once: str | None = None
    ) -> dict[str, Any]:
        """Send a JSON object and return the JSON object of the response.

        With ``once``, an Idempotency-Key, it is sent again where a connection was lost.
        """
        headers = {} if once is None else {KEY_HEADER: once}
        address = self.base_url + path
        request = self._http.build_request("POST", address, json=body, headers=headers)
        response = self._send(request)
        return object_of(response, response.content)

    def save(self, address: str, headers: Mapping[str, str], file: Path) -> httpx2.Response:
        """Write the body of a response to a file; the body of a 206 is appended.

        One attempt only: raises httpx2.RequestError where the connection is lost.
        """
        with self._http.stream("GET", address, headers=headers) as response:
            if response.is_success:
                is_part = response.status_code == PARTIAL_CONTENT
                with file.open("ab" if is_part else "wb") as target:
                    for chunk in response.iter_raw():
                        target.write(chunk)
            else:
                response.read()
        return response

    def _send(self, request: httpx2.Request) -> httpx2.Response:
        repeatable = request.method == "GET" or KEY_HEADER in request.headers
        return self.attempt(lambda: self._http.send(request), repeatable=repeatable)

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
                again, retry_after = repeatable and _was_cut(error), None
            else:
                if response.is_success or response.status_code == NOT_MODIFIED:
                    return response
                failure, retry_after = failure_of(response), retry_after_of(response.headers)
                again = response.status_code in RETRIED
            wait = self._retry.wait(attempts, retry_after, jitter=self._jitter()) if again else None
            if wait is None:
                raise failure
            self.sleep(wait.total_seconds())

    def _unreachable(self, error: httpx2.RequestError) -> Unreachable:
        if isinstance(error, httpx2.TimeoutException):
            return Unreachable(f"{self.base_url} did not answer in time.")
        return Unreachable(f"{self.base_url} cannot be reached: {reason_of(error)}.")


def _was_cut(error: httpx2.RequestError) -> bool:
    """Return whether a connection was lost or refused; time-outs are not retried."""
    return isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError))
