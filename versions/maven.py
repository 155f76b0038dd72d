"""The order of Maven's versions, as the POM reference describes it.

univers has the order of an older Maven, in which ``1.0.rc`` is not ``1.0-rc``. As in Maven itself,
a version is a list of numbers and qualifiers, and a hyphen, or a change between digits and
letters, begins a list inside of it (https://maven.apache.org/pom.html).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import total_ordering
from itertools import zip_longest
from typing import Final, Self, TypeAlias

Item: TypeAlias = int | str | list["Item"]

_PART: Final = re.compile(r"(\d+|[^\d.-]+|(?=[.-])|$)([.-]?)", re.ASCII)
_QUALIFIERS: Final = ("alpha", "beta", "milestone", "rc", "snapshot", "", "sp")
_SAME: Final = {"cr": "rc", "final": "", "ga": "", "release": ""}
_BEFORE_NUMBER: Final = {"a": "alpha", "b": "beta", "m": "milestone"}


@total_ordering
@dataclass(frozen=True, slots=True)
class MavenVersion:
    """A version as numbers, qualifiers and lists of them, without null values."""

    items: list[Item]

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a version; None if it does not begin with a digit."""
        return cls(_items(text.lower())) if text[:1].isdigit() else None

    @property
    def is_prerelease(self) -> bool:
        """Whether its first qualifier comes before the release."""
        return next(_words(self.items), "") in _QUALIFIERS[: _QUALIFIERS.index("")]

    def __lt__(self, other: Self) -> bool:
        """Compare item by item; a missing item is a null value."""
        return _compare(self.items, other.items) < 0


def _items(text: str) -> list[Item]:
    """Split a version at dots, at hyphens, and between digits and letters."""
    top: list[Item] = []
    lists = [top]
    parts = [(part, separator) for part, separator in _PART.findall(text) if part or separator]
    for index, (part, separator) in enumerate(parts):
        is_last = index == len(parts) - 1
        if part and not part.isdigit() and lists[-1] and not separator:
            _begin_list(lists)
        lists[-1].append(_item(part, before_number=not separator and not is_last))
        if separator == "-" or not (separator or is_last):
            _begin_list(lists)
    for items in reversed(lists):
        _leave_out_nothing(items)
    return top


def _item(part: str, *, before_number: bool) -> Item:
    if not part or part.isdigit():
        return int(part or 0)
    word = _BEFORE_NUMBER.get(part, part) if before_number else part
    return _SAME.get(word, word)


def _begin_list(lists: list[list[Item]]) -> None:
    inner: list[Item] = []
    lists[-1].append(inner)
    lists.append(inner)


def _leave_out_nothing(items: list[Item]) -> None:
    """Remove null values at the end, and before lists that stand there."""
    for index in reversed(range(len(items))):
        if items[index] in (0, "", []):
            del items[index]
        elif not isinstance(items[index], list):
            break


def _words(items: list[Item]) -> Iterator[str]:
    for item in items:
        if isinstance(item, list):
            yield from _words(item)
        elif isinstance(item, str):
            yield item


def _compare(one: Item | None, two: Item | None) -> int:
    """Return -1, 0 or 1: words come before lists, lists before numbers."""
    match one, two:
        case (None, None):
            return 0
        case (None, _):
            return -_compare(two, None)
        case (list(), None):
            return next(filter(None, (_compare(item, None) for item in one)), 0)
        case (list(), list()):
            return next(filter(None, (_compare(a, b) for a, b in zip_longest(one, two))), 0)
        case _:
            return _sign(_rank(one), _rank(two if two is not None else type(one)()))


def _rank(item: Item | None) -> tuple[int, int, str]:
    match item:
        case int():
            return (2, item, "")
        case str():
            known = item in _QUALIFIERS
            return (
                0,
                _QUALIFIERS.index(item) if known else len(_QUALIFIERS),
                "" if known else item,
            )
        case _:
            return (1, 0, "")


def _sign(one: tuple[int, int, str], two: tuple[int, int, str]) -> int:
    return (one > two) - (one < two)
