"""Lists of the API as lazy sequences of items, and pages of changes."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from typing import Any, Generic, TypeAlias, TypeVar, cast

from client.errors import InvalidCall, UnexpectedAnswer
from openapi.shapes import ChangelogEntry, EntryChange

LARGEST = 100
"""The most items a page can hold (specification 8)."""
PageShape = TypeVar("PageShape")
Item = TypeVar("Item")
Walk: TypeAlias = Callable[[int | None, int], Iterator[dict[str, Any]]]
"""``walk(limit, offset)`` yields pages, each requested when it is needed."""


class Pages(Generic[PageShape, Item]):
    """A list of the API, requested one page at a time as it is iterated.

    Iterating yields items; ``pages()`` yields responses; ``first()`` returns one response. Each
    iteration makes new requests. An item that moves to the next page because of new entries is
    yielded once.
    """

    def __init__(self, walk: Walk, *, limit: int | None, offset: int) -> None:
        """``limit`` is the most items in all, None for all. Raises InvalidCall for a wrong one."""
        if limit is not None and (not isinstance(limit, int) or limit < 1):
            raise InvalidCall("limit must be at least 1")
        if not isinstance(offset, int) or offset < 0:
            raise InvalidCall("offset must be at least 0")
        self._walk, self._limit, self._offset = walk, limit, offset

    def first(self) -> PageShape:
        """Request one page of ``limit`` items, at most 100."""
        size = min(self._limit or LARGEST, LARGEST)
        return cast("PageShape", next(self._walk(size, self._offset)))

    def pages(self) -> Iterator[PageShape]:
        """Yield the pages, each requested when it is needed."""
        return cast("Iterator[PageShape]", self._walk(self._limit, self._offset))

    def __iter__(self) -> Iterator[Item]:
        """Yield the items, each once."""
        yielded: set[Hashable] = set()
        for page in self._walk(self._limit, self._offset):
            for item in page["items"]:
                identity = _identity(item)
                if identity not in yielded:
                    yielded.add(identity)
                    yield item


def _identity(item: Mapping[str, Any]) -> Hashable:
    """Return what identifies an item of a list."""
    names = ("slug", "source", "id", "kind", "from", "to")
    return tuple(part.get(name) for part in (item, item.get("entry", {})) for name in names)


def paged(fetch: Callable[[int, int], dict[str, Any]]) -> Walk:
    """Return the walk over a list whose pages ``fetch(limit, offset)`` requests."""

    def walk(limit: int | None, offset: int) -> Iterator[dict[str, Any]]:
        remaining = limit
        while remaining is None or remaining > 0:
            page = fetch(min(remaining or LARGEST, LARGEST), offset)
            yield page
            count = len(page["items"])
            offset += count
            remaining = None if remaining is None else remaining - count
            if not count or offset >= page["total"]:
                return

    return walk


def merged(parts: Sequence[Walk]) -> Walk:
    """Return the walk over several lists of entries as one, the newest first.

    The first page asks for the first page of every list; the others are asked for as needed.
    """

    def walk(limit: int | None, offset: int) -> Iterator[dict[str, Any]]:
        firsts: dict[int, dict[str, Any]] = {}
        newest = merge(
            *(_items(number, part, firsts) for number, part in enumerate(parts)),
            key=lambda item: str(item["published_at"]),
            reverse=True,
        )
        chosen = islice(newest, offset, None if limit is None else offset + limit)
        items = list(islice(chosen, LARGEST))
        while True:
            total = sum(page["total"] for page in firsts.values())
            yield {**firsts[0], "total": total, "limit": LARGEST, "offset": offset, "items": items}
            offset += len(items)
            if len(items) < LARGEST or not (items := list(islice(chosen, LARGEST))):
                return

    return walk


def _items(number: int, part: Walk, firsts: dict[int, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the items of a list, and note its first page."""
    for page in part(None, 0):
        firsts.setdefault(number, page)
        yield from page["items"]


@dataclass(frozen=True, slots=True)
class News:
    """Changes and the cursor after them. Store ``cursor`` once they are processed."""

    changes: list[EntryChange]
    cursor: str

    @property
    def entries(self) -> list[ChangelogEntry]:
        """The entries that are new or edited."""
        return [change["entry"] for change in self.changes if change["change"] != "removed"]


def news_of(page: dict[str, Any], sources: Collection[str] | None) -> tuple[News, bool]:
    """Return the changes of these sources on a page, and whether there are more pages.

    Raises UnexpectedAnswer for a page without a cursor.
    """
    cursor, more = page.get("next"), page.get("more")
    if not isinstance(cursor, str) or not isinstance(more, bool):
        hint = "Does this service know /changes?"
        raise UnexpectedAnswer("The answer does not say where to go on.", hint=hint)
    items = page["items"]
    if sources is not None:
        items = [change for change in items if change["entry"]["source"] in sources]
    return News(items, cursor), more
