"""Pages of the API as one lazy sequence of items."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any, Generic, TypeVar, cast

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

        Raises ValueError for a limit under 1 or an offset under 0.
        """
        if limit is not None and limit < 1:
            raise ValueError("limit must be at least 1")
        if offset < 0:
            raise ValueError("offset must be at least 0")
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
