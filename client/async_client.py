"""The client for asyncio: the same operations, each in a thread, so that no loop waits.

A call that is cancelled lets its request end by itself, within the client's timeout.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeAlias, TypeVar

from client.client import Client
from client.pages import Pages

P = ParamSpec("P")
Result = TypeVar("Result")
PageShape = TypeVar("PageShape")
Item = TypeVar("Item")
Method: TypeAlias = Callable[Concatenate[Client, P], Result]
AsyncMethod: TypeAlias = Callable[Concatenate["AsyncClient", P], Result]
END = object()


class AsyncPages(Generic[PageShape, Item]):
    """A list of the API for ``async for``; see ``Pages``."""

    def __init__(self, pages: Pages[PageShape, Item]) -> None:
        self._pages = pages

    async def first(self) -> PageShape:
        """Request one page."""
        return await asyncio.to_thread(self._pages.first)

    def pages(self) -> AsyncIterator[PageShape]:
        """Yield the pages, each requested when it is needed."""
        return in_thread(self._pages.pages())

    def __aiter__(self) -> AsyncIterator[Item]:
        """Yield the items, each once."""
        return in_thread(iter(self._pages))


async def in_thread(values: Iterator[Item]) -> AsyncIterator[Item]:
    """Yield the items of an iterator that runs in a thread."""
    while (value := await asyncio.to_thread(next, values, END)) is not END:
        yield value  # type: ignore[misc]  # END is not among the items


def _once(method: Method[P, Result]) -> AsyncMethod[P, Awaitable[Result]]:
    @wraps(method)
    async def call(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> Result:
        return await asyncio.to_thread(method, self.client, *args, **kwargs)

    return call


def _listed(
    method: Method[P, Pages[PageShape, Item]],
) -> AsyncMethod[P, AsyncPages[PageShape, Item]]:
    @wraps(method)
    def call(
        self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs
    ) -> AsyncPages[PageShape, Item]:
        return AsyncPages(method(self.client, *args, **kwargs))

    return call


def _streamed(method: Method[P, Iterator[Item]]) -> AsyncMethod[P, AsyncIterator[Item]]:
    @wraps(method)
    def call(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[Item]:
        return in_thread(method(self.client, *args, **kwargs))

    return call


class AsyncClient:
    """The API for asyncio, with the arguments of ``Client``."""

    def __init__(self, url: str, api_key: str | None = None, **options: Any) -> None:
        self.client = Client(url, api_key, **options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection."""
        await asyncio.to_thread(self.client.close)

    sources = _listed(Client.sources)
    entries = _listed(Client.entries)
    latest = _listed(Client.latest)
    important = _listed(Client.important)
    deadlines = _listed(Client.deadlines)
    upgrades = _listed(Client.upgrades)
    deliveries = _listed(Client.deliveries)
    follow = _streamed(Client.follow)
    bulk = _once(Client.bulk)
    changes = _once(Client.changes)
    diffs = _once(Client.diffs)
    facets = _once(Client.facets)
    me = _once(Client.me)
    request_source = _once(Client.request_source)
    check_stack = _once(Client.check_stack)
    delete_stack = _once(Client.delete_stack)
    webhooks = _once(Client.webhooks)
    create_webhook = _once(Client.create_webhook)
    test_webhook = _once(Client.test_webhook)
    rotate_webhook = _once(Client.rotate_webhook)
    delete_webhook = _once(Client.delete_webhook)
    redeliver_webhook = _once(Client.redeliver_webhook)
    sample = _once(Client.sample)
    source = _once(Client.source)
    plan = _once(Client.plan)
