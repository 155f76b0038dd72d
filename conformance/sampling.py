"""Which parts of a list a run reads: all of a short one, random places of a long one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from conformance.http_messages import Response

PAGE = 100
_PAGES = 8
"""Random pages of each list."""
_LIMITS = (1, 2, 3, 7, 10, 20, 25, 50, 60, 99, 100)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list as pages of 100 show it: its total, and the items by their position."""

    total: int
    responses: tuple[Response, ...]
    by_position: dict[int, dict[str, Any]]

    @property
    def items(self) -> list[dict[str, Any]]:
        """The items that were read, in their order."""
        return [self.by_position[position] for position in sorted(self.by_position)]

    @property
    def is_whole(self) -> bool:
        """True where every item was read."""
        return len(self.by_position) >= self.total

    def part(self, limit: int, offset: int) -> list[dict[str, Any]] | None:
        """Return the items that a page should have; None where not all of them were read."""
        wanted = range(offset, min(offset + limit, self.total))
        if any(position not in self.by_position for position in wanted):
            return None
        return [self.by_position[position] for position in wanted]

    def page_of(self, item: dict[str, Any]) -> Response:
        """Return the response that has an item."""
        return next(response for response in self.responses if item in response.items)

    def neighbours(self) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield items that follow each other, across pages too."""
        for position, item in sorted(self.by_position.items()):
            if position + 1 in self.by_position:
                yield item, self.by_position[position + 1]


def page_offsets(random: Random, total: int, *, most: int) -> list[int]:
    """Return where the pages of 100 begin that are read: all, or the ends and random ones."""
    every = range(0, max(1, total), PAGE)
    if len(every) <= most:
        return list(every)
    between = every[2:-1]
    chosen = random.sample(between, max(0, min(len(between), most - 3)))
    return sorted({every[0], every[1], every[-1], *chosen})


def random_pages(random: Random, read: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Return limits and offsets of pages within what was read, near the ends and anywhere."""
    if total == 0:
        return [(10, 0), (10, 5)]
    pages = [(7, max(0, total - 3)), (100, max(0, total - 1)), (10, total), (5, total + 5)]
    for number in range(_PAGES):
        begin = random.choice(read)
        limit = random.choice(_LIMITS) if number % 3 else random.randint(1, PAGE)
        inside = min(begin + PAGE, total) - begin
        offset = begin + random.randrange(max(1, inside))
        if number % 2:
            offset -= offset % limit  # a client pages so
        pages.append((limit, offset))
    return pages
