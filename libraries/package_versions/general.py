"""Versions of software whose ecosystem is not known: numbers, then words like ``rc`` or ``beta``.

No library reads what repositories and vendors call their releases without being told the
ecosystem: ``2.1.8.0``, ``1.7.0.alpha``, ``1.2.0rc10``, ``6.4.3.Final``, ``2024.11.2``, ``v277``.
"""

import re
from dataclasses import dataclass
from functools import total_ordering
from itertools import pairwise
from typing import Final, Self

MAX_VERSION_LENGTH: Final = 100
"""Characters of a version; longer ones are unknown."""

_VERSION: Final = re.compile(
    r"[vV]?(?P<numbers>\d{1,18}(?:\.\d{1,18})*)(?P<suffix>[A-Za-z0-9]*(?:[-._][A-Za-z0-9]+)*)(?:\+[\w.-]*)?",
    re.ASCII,
)
_DATE: Final = re.compile(r"\A(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_LETTER: Final = re.compile(r"(?P<before>z?)(?P<letter>[a-z])(?![A-Za-z0-9])", re.ASCII)
"""A patch of OpenSSL, tmux or tzdata: 1.1.1w, and 1.0.2za after 1.0.2z."""
_PART: Final = re.compile(r"\d{1,18}|[A-Za-z]+", re.ASCII)
_BEFORE: Final = (  # stages before a release, the earliest first
    ("dev",), ("nightly", "canary", "edge"), ("experimental", "exp", "test"), ("next", "insiders"),
    ("alpha", "a"), ("beta", "b"), ("milestone", "m"), ("ea", "eap"),
    ("preview", "pre", "prerelease"), ("rc", "cr", "c"), ("snapshot",),
)  # fmt: skip
_SAME: Final = frozenset({"final", "ga", "release", "stable", "lts"})
_AFTER: Final = frozenset({"p", "pl", "patch", "post", "sp", "hotfix", "rev", "r", "build"})
STAGES: Final = {
    word: index - len(_BEFORE) for index, words in enumerate(_BEFORE) for word in words
}
_LATER: Final = 1
_END: Final = (0, 0)


@total_ordering
@dataclass(frozen=True, slots=True)
class GeneralVersion:
    """A version by its numbers and the stages after them, each a rank and a number.

    A stage before the release has a rank below 0, one after it a rank above.
    """

    numbers: tuple[int, ...]
    stages: tuple[tuple[int, int], ...]

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Parse a version; None if it is none or has an unknown word."""
        match = _VERSION.fullmatch(_DATE.sub(r"\1.\2.\3", text))
        stages = None if match is None else _stages(match["suffix"])
        if match is None or stages is None:
            return None
        numbers = [int(number) for number in match["numbers"].split(".")]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        return cls(tuple(numbers), stages)

    @property
    def is_prerelease(self) -> bool:
        """Return True if it precedes the release with the same numbers."""
        return self.stages[0][0] < 0

    def __lt__(self, other: Self) -> bool:
        """Compare the numbers, then the stages."""
        return (self.numbers, self.stages) < (other.numbers, other.stages)


def _stages(suffix: str) -> tuple[tuple[int, int], ...] | None:
    """Return the stages after the numbers; None where one is not known."""
    stages: list[tuple[int, int]] = []
    if patch := _LETTER.match(suffix):
        stages.append((_LATER, ord(patch["letter"]) + 26 * len(patch["before"])))
        suffix = suffix[patch.end() :]
    for before, part in pairwise(["", *_PART.findall(suffix)]):
        word = part.lower()
        if part.isdigit() and before.lower() in STAGES.keys() | _AFTER:
            stages[-1] = (stages[-1][0], int(part))
        elif part.isdigit():
            stages.append((_LATER, int(part)))
        elif word in STAGES:
            stages.append((STAGES[word], 0))
        elif word in _AFTER:
            stages.append((_LATER, 0))
        elif word not in _SAME:
            return None
    return (*stages, _END)
