"""The order of Maven's versions, as the POM reference describes it.

univers has the order of an older Maven, in which ``1.0.rc`` is not ``1.0-rc``. As in Maven itself,
a version is a list of numbers and qualifiers, and a hyphen, or a change between digits and
letters, begins a list inside of it (https://maven.apache.org/pom.html). Such a list is always the
last item of the one around it, so a mark in one flat list is enough.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import total_ordering
from typing import Final, Self, TypeAlias

from package_versions.general import STAGES

Item: TypeAlias = tuple[int, int, str]
"""A word, the beginning of a list, or a number, in this order."""

_PART: Final = re.compile(r"(\d+|[^\d.-]+|(?=[.-])|$)([.-]?)", re.ASCII)
_QUALIFIERS: Final = ("alpha", "beta", "milestone", "rc", "snapshot", "", "sp")
_SAME: Final = {"cr": "rc", "final": "", "ga": "", "release": ""}
_BEFORE_NUMBER: Final = {"a": "alpha", "b": "beta", "m": "milestone"}
_RELEASE: Final = (0, _QUALIFIERS.index(""), "")
_LIST: Final = (1, 0, "")
_NOTHING: Final = frozenset({_RELEASE, (2, 0, "")})


@total_ordering
@dataclass(frozen=True, slots=True)
class MavenVersion:
    """A version as numbers, qualifiers and lists of them, without null values."""

    items: tuple[Item, ...]

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a version; None if it does not begin with a digit."""
        return cls(_items(text.lower())) if text[:1].isdigit() else None

    @property
    def is_prerelease(self) -> bool:
        """Return True if its first qualifier precedes the release, or is called so elsewhere."""
        first = next((item for item in self.items if item[0] == 0), _RELEASE)
        return first < _RELEASE or (len(first[2]) > 1 and first[2].rstrip("+_") in STAGES)

    def __lt__(self, other: Self) -> bool:
        """Compare item by item; a missing item is a null value."""
        shorter = min(len(self.items), len(other.items))
        if self.items[:shorter] != other.items[:shorter]:
            return self.items < other.items
        return _sign(self.items[shorter:]) < _sign(other.items[shorter:])


def _items(text: str) -> tuple[Item, ...]:
    """Split a version at dots, at hyphens, and between digits and letters."""
    lists: list[list[Item]] = [[]]
    parts = [(part, separator) for part, separator in _PART.findall(text) if part or separator]
    for index, (part, separator) in enumerate(parts):
        is_last = index == len(parts) - 1
        if part and not part.isdigit() and lists[-1] and not separator:
            lists.append([])
        lists[-1].append(_item(part, before_number=not separator and not is_last))
        if separator == "-" or not (separator or is_last):
            lists.append([])
    for items in lists:
        while items and items[-1] in _NOTHING:
            items.pop()
    while lists and not lists[-1]:
        lists.pop()
    return tuple(item for items in lists for item in (_LIST, *items))[1:]


def _item(part: str, *, before_number: bool) -> Item:
    if not part or part.isdigit():
        return 2, int(part or 0), ""
    word = _BEFORE_NUMBER.get(part, part) if before_number else part
    word = _SAME.get(word, word)
    if word in _QUALIFIERS:
        return 0, _QUALIFIERS.index(word), ""
    return 0, len(_QUALIFIERS), word


def _sign(items: Sequence[Item]) -> int:
    """Return whether items come before or after none at all: -1, 0 or 1."""
    first = next((item for item in items if item != _LIST and item not in _NOTHING), _RELEASE)
    return (first > _RELEASE) - (first < _RELEASE)
