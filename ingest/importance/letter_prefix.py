r"""Patterns rewritten so that a search skips to the letters that they can begin with.

A pattern that begins with ``\b`` is tried at every character of a text. One that begins
with a set of letters is only tried where one of them stands, which is several times as
fast. ``\b(?:may|can)\b`` becomes ``[cm](?<!\w[cm])(?:(?:(?<=m)ay|(?<=c)an)\b)``: the same
matches at the same places. Where most letters of a text can begin it, the plain pattern is faster.
"""

import re
from collections.abc import Iterator

_BOUNDARY = r"\b"
_GROUP = "(?:"
_LITERAL = re.compile(r"[a-z](?![?*{+])")
_MOST_LETTERS = 7


def with_letter_prefix(pattern: str) -> str:
    """Return a pattern with the same matches that begins with a set of letters.

    It is returned as it is unless each of its alternatives is a word boundary in front
    of a letter, or in front of a group in which every alternative begins with a letter,
    and unless these letters are few.
    """
    letters: set[str] = set()
    alternatives = []
    for alternative in _split(pattern):
        rewritten = _begun(alternative, letters)
        if rewritten is None:
            return pattern
        alternatives.append(rewritten)
    if len(letters) > _MOST_LETTERS:
        return pattern
    one = f"[{''.join(sorted(letters))}]"
    return rf"{one}(?<!\w{one})(?:{'|'.join(alternatives)})"


def _begun(alternative: str, letters: set[str]) -> str | None:
    """Return an alternative without the letters it begins with, which are collected."""
    if not alternative.startswith(_BOUNDARY):
        return None
    behind = alternative.removeprefix(_BOUNDARY)
    if not behind.startswith(_GROUP):
        return _after_letter(behind, letters)
    close = _closing(behind)
    if behind[close + 1 : close + 2] in ("?", "*", "+", "{"):
        return None
    inner = [
        _after_letter(inner_alternative, letters)
        for inner_alternative in _split(behind[len(_GROUP) : close])
    ]
    if None in inner:
        return None
    return f"{_GROUP}{'|'.join(map(str, inner))}{behind[close:]}"


def _after_letter(pattern: str, letters: set[str]) -> str | None:
    """Return a pattern for what follows its first letter, which is collected."""
    if not _LITERAL.match(pattern):
        return None
    letters.add(pattern[0])
    return f"(?<={pattern[0]}){pattern[1:]}"


def _closing(pattern: str) -> int:
    """Return where the group closes that a pattern begins with."""
    for at, depth in _depths(pattern):
        if pattern[at] == ")" and depth == 0:
            return at
    raise ValueError(f"unbalanced pattern: {pattern}")


def _split(pattern: str) -> list[str]:
    """Return the alternatives of a pattern, without looking into its groups."""
    bars = [at for at, depth in _depths(pattern) if pattern[at] == "|" and depth == 0]
    edges = zip([-1, *bars], [*bars, len(pattern)], strict=True)
    return [pattern[before + 1 : after] for before, after in edges]


def _depths(pattern: str) -> Iterator[tuple[int, int]]:
    """Yield the place of every bar and bracket, and how many groups are open behind it."""
    depth, at, in_set = 0, 0, False
    while at < len(pattern):
        letter = pattern[at]
        if letter == "\\":
            at += 1
        elif in_set:
            in_set = letter != "]"
        elif letter == "[":
            in_set = True
        elif letter in "(|)":
            depth += {"(": 1, "|": 0, ")": -1}[letter]
            yield at, depth
        at += 1
