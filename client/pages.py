"""Pages of the API as one lazy sequence of items."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Any, Generic, TypeVar, cast

from client.errors import InvalidCall

LARGEST = 100
"""The most items a page can hold (specification 8)."""
PageShape = TypeVar("PageShape")
Item = TypeVar("Item")


class Pages(Generic[PageShape, Item]):
    """A list of the API, requested one page at a time as it is iterated.

    Iterating yields items; ``pages()`` yields responses; ``first()`` returns one response. Each
    iteration makes new requests. An item that moves to the next page because of new entries is
    yielded once.
    """

    def __init__(
        self,
        fetch: Callable[[int, int], PageShape],
        *,
        identity: Callable[[Item], Hashable],
        limit: int | None,
        offset: int,
    ) -> None:
        """``fetch(limit, offset)`` gets a page. ``limit`` is the most items in all, None for all.

        Raises InvalidCall for a limit under 1 or an offset under 0.
        """
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise InvalidCall("limit must be at least 1")
        if offset < 0:
            raise InvalidCall("offset must be at least 0")
        self._fetch = fetch
        self._identity = identity
        self._limit = limit
        self._offset = offset

    def first(self) -> PageShape:
        """Request one page of ``limit`` items, at most 100."""
        return self._fetch(min(self._limit or LARGEST, LARGEST), self._offset)

    def pages(self) -> Iterator[PageShape]:
        """Yield the pages, each requested when it is needed."""
        offset, remaining = self._offset, self._limit
        while remaining is None or remaining > 0:
            page = self._fetch(min(remaining or LARGEST, LARGEST), offset)
            yield page
            body = cast("dict[str, Any]", page)
            count = len(body["items"])
            offset += count
            remaining = None if remaining is None else remaining - count
            if not count or offset >= body["total"]:
                return

    def __iter__(self) -> Iterator[Item]:
        """Yield the items, each once."""
        yielded: set[Hashable] = set()
        for page in self.pages():
            for item in cast("dict[str, list[Item]]", page)["items"]:
                identity = self._identity(item)
                if identity not in yielded:
                    yielded.add(identity)
                    yield item


class MergedPages(Pages[PageShape, Item]):
    """One list out of several of entries, the newest first in each and in all of them.

    The first page asks for the first page of every list; the others are asked for as needed.
    """

    def __init__(
        self,
        parts: Sequence[Pages[PageShape, Item]],
        *,
        identity: Callable[[Item], Hashable],
        limit: int | None,
        offset: int,
    ) -> None:
        super().__init__(self._page, identity=identity, limit=limit, offset=offset)
        self._parts = parts

    def first(self) -> PageShape:
        """Return the first page, of ``limit`` items, at most 100."""
        return next(self.pages())

    def pages(self) -> Iterator[PageShape]:
        """Yield pages of up to 100 items; there is one, if only an empty one."""
        totals: dict[int, dict[str, Any]] = {}
        newest = merge(
            *(_items(number, part, totals) for number, part in enumerate(self._parts)),
            key=lambda item: str(item["published_at"]),
            reverse=True,
        )
        stop = None if self._limit is None else self._offset + self._limit
        chosen, offset = islice(newest, self._offset, stop), self._offset
        while (items := list(islice(chosen, LARGEST))) or offset == self._offset:
            total = sum(page["total"] for page in totals.values())
            place = {"total": total, "limit": LARGEST, "offset": offset, "items": items}
            yield cast("PageShape", {**totals[0], **place})
            offset += len(items)
            if len(items) < LARGEST:
                return

    def _page(self, limit: int, offset: int) -> PageShape:
        """Return the page at a place."""
        merged = MergedPages(self._parts, identity=self._identity, limit=limit, offset=offset)
        return merged.first()


def _items(
    number: int, part: Pages[Any, Any], firsts: dict[int, dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Yield the items of a list, and note its first page."""
    for page in part.pages():
        firsts.setdefault(number, page)
        yield from page["items"]
