"""The client: one method for each operation of the contract."""

import random
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Self, cast

from client.cache import Cache, MemoryCache
from client.errors import KeyMissing, UnknownSource
from client.exchange import Exchange, Query
from client.following import News, news_of
from client.pages import Pages
from client.retrying import RetryPolicy
from openapi.shapes import (
    ChangelogEntry,
    ChangelogSource,
    DiffPage,
    EntryPage,
    ImportantEntry,
    ImportantEntryPage,
    PublicEntry,
    PublicEntryPage,
    SourcePage,
    SourceRequestRecord,
    SourceSample,
)
from openapi.vocabulary import AdapterType, Plan


class Client:
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
    ) -> None:
        """Nothing is asked yet.

        ``url``: of the site, with or without /api/v1. ``timeout``: for a connection, and for a
        pause between pieces of an answer. ``cache``: in memory unless another is given.
        ``trust_env``: whether proxies and certificates of the caller's environment count
        (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE). Raises ValueError for an address or a key that
        cannot be sent.
        """
        self._has_key = api_key is not None
        self._exchange = Exchange(
            url,
            api_key,
            timeout=timeout,
            retry=retry or RetryPolicy(),
            cache=cache or MemoryCache(),
            sleep=sleep,
            jitter=jitter,
            trust_env=trust_env,
        )

    def __repr__(self) -> str:
        """Name the address, never the key."""
        return f"Client({self.base_url!r}, {'with a key' if self._has_key else 'without a key'})"

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection."""
        self.close()

    def close(self) -> None:
        """Close every connection."""
        self._exchange.close()

    @property
    def base_url(self) -> str:
        """The API's base address; it ends with /api/v1."""
        return self._exchange.base_url

    def sample(self) -> SourceSample:
        """Return what callers without a key see of the catalog. Raises if this one has a key."""
        found = self._get("/sources", {})
        if "sample" not in found:
            raise ValueError("with a key there is the whole catalog: use sources()")
        return cast("SourceSample", found)

    def sources(
        self,
        *,
        vendor: str | None = None,
        q: str | None = None,
        adapter_type: AdapterType | None = None,
        kind: str | None = None,
        selected: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[SourcePage, ChangelogSource]:
        """List the catalog by slug; ``selected``: only what the key may read. Needs a key."""
        self._require_key("The catalog needs an API key.")
        query = {
            "vendor": vendor,
            "q": q,
            "adapterType": adapter_type,
            "kind": kind,
            "selected": "1" if selected else None,
        }
        return Pages(
            lambda limit, offset: cast("SourcePage", self._page("/sources", query, limit, offset)),
            identity=lambda source: source["slug"],
            limit=limit,
            offset=offset,
        )

    def source(self, slug: str) -> ChangelogSource:
        """Return one source of the catalog; raises UnknownSource. Needs a key."""
        vendor, dot, _ = slug.partition(".")  # a slug starts with its vendor, specification 2.1
        for each in self.sources(vendor=vendor) if vendor and dot else ():
            if each["slug"] == slug:
                return each
        raise UnknownSource(
            f"The catalog has no source {slug}.", hint="Search it with sources(q=…)."
        )

    def entries(
        self,
        sources: Iterable[str],
        *,
        since: datetime | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[EntryPage, ChangelogEntry]:
        """List what sources published, newest first; ``since``: only after this time, aware.

        At most 100 sources; each must be selected for the key.
        """
        self._require_key("Entries need an API key.")
        query = {"sources": _joined(sources), "since": None if since is None else _instant(since)}
        return Pages(
            lambda limit, offset: cast("EntryPage", self._page("/entries", query, limit, offset)),
            identity=lambda entry: (entry["source"], entry["id"]),
            limit=limit,
            offset=offset,
        )

    def follow(
        self, sources: Iterable[str], cursor: str = "start", *, limit: int = 100
    ) -> Iterator[News]:
        """Give everything the service learned since a cursor, oldest first, until now.

        ``cursor``: ``start``, ``now``, or the one of the last News that was dealt with. There is
        at least one News, an empty one where nothing is new. An edited entry comes again.
        """
        self._require_key("Entries need an API key.")
        slugs, more = _joined(sources), True
        while more:
            query: Query = {"sources": slugs, "limit": limit, "follow": cursor}
            page, headers = self._exchange.get("/entries", query)
            news, more = news_of(page, headers.get("link", ""))
            more, cursor = more and news.cursor != cursor, news.cursor
            yield news

    def latest(
        self, *, future: bool = False, limit: int | None = None, offset: int = 0
    ) -> Pages[PublicEntryPage, PublicEntry]:
        """List the latest entries of all sources; ``future``: those dated ahead of now too."""
        query = {"future": "1" if future else None}
        return Pages(
            lambda limit, offset: cast(
                "PublicEntryPage", self._page("/latest", query, limit, offset)
            ),
            identity=lambda entry: (entry["source"], entry["id"]),
            limit=limit,
            offset=offset,
        )

    def important(
        self, *, limit: int | None = None, offset: int = 0
    ) -> Pages[ImportantEntryPage, ImportantEntry]:
        """List breaking changes, deprecations and security fixes of all sources, newest first."""
        return Pages(
            lambda limit, offset: cast(
                "ImportantEntryPage", self._page("/important", {}, limit, offset)
            ),
            identity=lambda entry: (entry["source"], entry["id"]),
            limit=limit,
            offset=offset,
        )

    def diffs(self, source: str) -> DiffPage:
        """Return the newest 20 changes between snapshots of a source, newest first."""
        self._require_key("Diffs need an API key.")
        return cast("DiffPage", self._get("/diffs", {"source": source}))

    def request_source(
        self,
        url: str,
        *,
        name: str | None = None,
        vendor: str | None = None,
        note: str | None = None,
        email: str | None = None,
    ) -> SourceRequestRecord:
        """Ask for a changelog to be added to the catalog. Only the URL and the note are stored."""
        asked = {"url": url, "name": name, "vendor": vendor, "note": note, "email": email}
        body = {field: value for field, value in asked.items() if value is not None}
        return cast("SourceRequestRecord", self._exchange.post("/sources/request", body))

    def plan(self) -> Plan | None:
        """Return the plan of the key's account, as /entries says it; None if no source is selected.

        Raises InsufficientScope for a key without read:entries, and PlanLimitExceeded for an
        account that has selected more than its plan covers.
        """
        some = self.sources(selected=True, limit=1).first()["items"]
        if not some:
            return None
        return Plan(self.entries([some[0]["slug"]], limit=1).first()["plan"])

    def _require_key(self, message: str) -> None:
        if not self._has_key:
            raise KeyMissing(message, hint="Keys are made on the site, at /app/api-keys.")

    def _page(self, path: str, query: Query, limit: int, offset: int) -> dict[str, object]:
        return self._get(path, {**query, "limit": limit, "offset": offset})

    def _get(self, path: str, query: Query) -> dict[str, object]:
        return self._exchange.get(path, query)[0]


def _joined(sources: Iterable[str]) -> str:
    return sources if isinstance(sources, str) else ",".join(sources)


def _instant(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("since needs a time zone, for example datetime.now(UTC)")
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
