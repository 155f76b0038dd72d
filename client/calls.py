"""The requests that operations of the client are made of: one response, or pages of a list."""

import time
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

from client.errors import InvalidCall, KeyMissing
from client.follow import MOST_NAMED, News, news_of
from client.pages import MergedPages, Pages
from client.transport import Transport
from openapi.queries import ListChanges, ListEntries
from openapi.query import Query

KEY_NEEDED = {
    "list_sources": "The catalog needs an API key.",
    "list_entries": "Entries need an API key.",
    "list_changes": "Changes need an API key.",
    "get_diffs": "Diffs need an API key.",
    "list_webhooks": "Webhooks need an API key.",
    "list_deliveries": "Deliveries need an API key.",
}
"""The message for operations that a client without a key cannot call."""

PAUSE = 1.0
"""Seconds between two requests that were to wait and did not."""


class Calls:
    """Sends queries. Every method raises ChangewireError or one of its classes."""

    def __init__(self, transport: Transport, *, has_key: bool) -> None:
        self._transport = transport
        self.has_key = has_key

    def _get(self, query: Query) -> Any:
        self._require_key(query)
        return self._fetch(query)

    def _fetch(self, query: Query, **changes: Any) -> Any:
        return self._transport.get(query, **changes)

    def _post(
        self,
        path: str,
        members: Mapping[str, str | Iterable[str] | None],
        once: str | None = None,
    ) -> Any:
        body = {
            name: value if isinstance(value, str) else list(value)
            for name, value in members.items()
            if value is not None
        }
        return self._transport.post(path, body, once=once)

    def _pages(self, query: Query, *, limit: int | None, offset: int) -> Pages[Any, Any]:
        self._require_key(query)
        if isinstance(query, ListEntries) and len(query.sources) > MOST_NAMED:
            return MergedPages(
                [
                    self._pages(replace(query, sources=named), limit=None, offset=0)
                    for named in batched(query.sources)
                ],
                identity=_identity,
                limit=limit,
                offset=offset,
            )
        return Pages(
            lambda limit, offset: self._fetch(query, limit=limit, offset=offset),
            identity=_identity,
            limit=limit,
            offset=offset,
        )

    def _follow(self, query: ListChanges) -> Iterator[News]:
        self._require_key(query)
        chosen = None
        if query.sources is not None and len(query.sources) > MOST_NAMED:
            chosen, query = frozenset(query.sources), replace(query, sources=None)
        more = True
        while more:
            began = time.monotonic()
            page = self._fetch(query)
            batch, more = news_of(page, chosen)
            more = more and batch.cursor != query.after
            query = replace(query, after=batch.cursor)
            if query.wait and not page["items"] and time.monotonic() - began < PAUSE:
                self._transport.sleep(PAUSE)  # too many requests wait there already
            yield batch

    def _require_key(self, query: Query) -> None:
        message = KEY_NEEDED.get(query.OPERATION)
        if message is not None:
            self._require(message)

    def _require(self, message: str) -> None:
        if not self.has_key:
            raise KeyMissing(message, hint="Keys are made on the site, at /app/api-keys.")


def batched(slugs: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield slugs in as many as one request may name, each once."""
    every = tuple(dict.fromkeys(slugs))
    for start in range(0, len(every), MOST_NAMED):
        yield every[start : start + MOST_NAMED]


def new_idempotency_key() -> str:
    """Return a name for a request, under which it may be sent again."""
    return str(uuid4())


def items(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the items of an array parameter; one text may hold several, with commas."""
    return tuple(values.split(",")) if isinstance(values, str) else tuple(values)


def flag(value: bool) -> Literal["1"] | None:
    """Return the value of a parameter that is 1 or absent."""
    return "1" if value else None


def instant(name: str, moment: datetime | None) -> str | None:
    """Return an aware time as a parameter; raises InvalidCall for any other."""
    if moment is None:
        return None
    if not isinstance(moment, datetime) or moment.tzinfo is None:
        raise InvalidCall(f"{name} is a datetime with a time zone, for example datetime.now(UTC)")
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _identity(item: Mapping[str, Any]) -> Hashable:
    """Return what identifies an item of a list."""
    if "slug" in item:
        return str(item["slug"])
    if "messageId" in item:
        return str(item["id"])
    if "entry" in item:
        entry = item["entry"]
        return (entry["source"], entry["id"], item["kind"], item["from"], item["to"])
    return (item["source"], item["id"])
