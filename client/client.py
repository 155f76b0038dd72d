"""The client: the operations of the contract, and methods that combine several of them."""

import random
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal, Self, cast

import httpx2

from client.bulk import Bulk, fetch_bulk
from client.cache import Cache, MemoryCache
from client.errors import InvalidCall, UnknownSource
from client.operations import Operations
from client.transport import RetryPolicy, Transport, base_url_of, headers_of
from openapi.queries import ListSources
from openapi.shapes import ChangelogSource, SampleSourcePage


class Client(Operations):
    """The API with one key, or without.

    Close it, or use it in a ``with`` statement. Threads may share it. Every method raises
    ChangewireError or one of its classes, see ``client.errors``.
    """

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        timeout: timedelta = timedelta(seconds=30),
        retry: RetryPolicy | None = None,
        cache: Cache | None = None,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        trust_env: bool = True,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        """Prepare the client; nothing is sent yet.

        ``url``: of the site, with or without /api/v1. ``timeout``: for a connection, and for a
        pause between parts of a response. ``cache``: in memory without one. ``trust_env``: use the
        environment's proxies and certificates. ``transport``: sends requests instead of the
        network, as in a test. Raises InvalidCall for an address or a key that cannot be sent.
        """
        if not isinstance(timeout, timedelta):
            raise InvalidCall("timeout must be a timedelta, such as timedelta(seconds=30)")
        policy, stored = retry or RetryPolicy(), cache or MemoryCache()
        http = httpx2.Client(
            headers=headers_of(api_key),
            timeout=timeout.total_seconds(),
            follow_redirects=False,  # a key is sent to this address and to no other
            trust_env=trust_env,
            transport=transport,
        )
        base_url, seconds = base_url_of(url), timeout.total_seconds()
        super().__init__(Transport(http, base_url, api_key, seconds, policy, stored, sleep, jitter))

    def __repr__(self) -> str:
        return f"Client({self.base_url!r}, {'with a key' if self.has_key else 'without a key'})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._transport.http.close()

    @property
    def base_url(self) -> str:
        """The API's base address; it ends with /api/v1."""
        return self._transport.base_url

    def bulk(self, file: Path | str) -> Bulk:
        """Fetch the daily file of everything that the key may read, or what changed of it.

        A partial download continues, a current file stays. Raises OSError if it cannot be written.
        """
        self._require_key("bulk")
        return fetch_bulk(self._transport, Path(file))

    def sample(self) -> SampleSourcePage:
        """Return what callers without a key see; raises InvalidCall for a client with a key."""
        if self.has_key:
            raise InvalidCall("With a key there is the whole catalog: use sources().")
        return cast("SampleSourcePage", self._transport.get(ListSources()))

    def source(self, slug: str) -> ChangelogSource:
        """Return one source of the catalog; raises UnknownSource. Needs a key."""
        vendor, dot, _ = slug.partition(".")  # a slug starts with its vendor, specification 2.1
        for source in self.sources(vendor=vendor) if vendor and dot else ():
            if source["slug"] == slug:
                return source
        hint = "Search it with sources(q=…)."
        raise UnknownSource(f"The catalog has no source {slug}.", hint=hint)

    def plan(self) -> Literal["free", "starter", "all"] | None:
        """Return the plan of the key's account, read from /entries; None if no source can be used.

        Raises InsufficientScope for a key without read:entries.
        """
        selected = self.sources(selected=True, limit=1).first()["items"]
        if not selected:
            return None
        return self.entries([selected[0]["slug"]], limit=1).first()["plan"]


for _name, _method in vars(Operations).items():
    if callable(_method):  # so that a TypeError names the class that its caller knows
        _method.__qualname__ = f"Client.{_name}"
