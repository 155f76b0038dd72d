"""The words of names and of what people search for."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final
from unicodedata import combining, normalize

GENERIC: Final = frozenset(
    {"changelog", "changelogs", "changes", "history", "log", "new", "news", "note", "notes"}
    | {"release", "releases", "update", "updates", "version", "versions", "what"}
)
"""What every source is about: it tells none from the others."""

_SPELLED_OUT: Final = (
    (re.compile(r"(?<!\w)\.net(?!\w)"), " dotnet "),
    (re.compile(r"(?<!\w)([cf])#"), r" \1sharp "),
    (re.compile(r"(?<!\w)c\+\+"), " cplusplus "),
    (re.compile(r"['’](?=s(?!\w))"), ""),
)
_SIGNS: Final = re.compile(r"[#+'’]|\.net")
_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def fold(text: str) -> str:
    """Return a text without case and accents."""
    decomposed = normalize("NFKD", text)
    if not decomposed.isascii():
        decomposed = "".join(letter for letter in decomposed if not combining(letter))
    return normalize("NFC", decomposed.casefold())


def words_of(text: str) -> list[str]:
    """Return the words of a text, in order: ``Next.js`` has two, ``C++`` is ``cplusplus``."""
    folded = fold(text)
    if _SIGNS.search(folded):
        for pattern, words in _SPELLED_OUT:
            folded = pattern.sub(words, folded)
    return _WORD.findall(folded)


def squeezed(text: str) -> str:
    """Return a text as one word: ``Big Query`` is ``bigquery``."""
    return "".join(words_of(text))


def parts_of(name: str) -> Iterator[str]:
    """Yield the parts of words that capital letters divide: ``DynamoDB`` is a Dynamo and a DB."""
    for word in _WORD.findall(name):
        parts: list[str] = _PART.findall(word)
        if len(parts) > 1:
            yield from (fold(part) for part in parts if len(part) > 1)


def is_version(word: str) -> bool:
    """Tell whether a word counts releases: ``17``, ``v3``. Few names have it, and all may."""
    return word.removeprefix("v").isdigit()


def joined(words: Iterable[str]) -> Iterator[str]:
    """Yield what neighbours make when they are written as one word."""
    yield from (first + second for first, second in pairwise(words))


@cache
def vendor_names() -> Mapping[str, tuple[str, ...]]:
    """Return other names of vendors, as people write them, by their identifiers."""
    return {row["vendor"]: tuple(row["names"].split(";")) for row in _rows("vendor_names.csv")}


@cache
def same_words() -> Mapping[str, tuple[str, ...]]:
    """Return which words mean the same as a word."""
    same: dict[str, tuple[str, ...]] = {}
    for row in _rows("same_words.csv"):
        group = row["words"].split(";")
        for word in group:
            same[word] = tuple(other for other in group if other != word)
    return same


def _rows(file: str) -> Iterator[dict[str, str]]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return iter(csv.DictReader(text.splitlines()))
