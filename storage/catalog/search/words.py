"""The words of names and of what people search for."""

import csv
import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from storage.entries.search.words import fold

GENERIC: Final = frozenset(  # what every source is about
    {"changelog", "changelogs", "changes", "history", "log", "new", "news", "note", "notes"}
    | {"release", "releases", "update", "updates", "version", "versions", "what"}
)
_SPELLED_OUT: Final = (
    (re.compile(r"(?<!\w)\.net(?!\w)"), " dotnet "),
    (re.compile(r"(?<!\w)([cf])#"), r" \1sharp "),
    (re.compile(r"(?<!\w)c\+\+"), " cplusplus "),
    (re.compile(r"['’](?=s(?!\w))"), ""),
)
_WORD: Final = re.compile(r"[^\W_]+")


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in order: ``Next.js`` has two, ``C++`` is ``cplusplus``."""
    folded = fold(text)
    for pattern, words in _SPELLED_OUT:
        folded = pattern.sub(words, folded)
    return tuple(_WORD.findall(folded))


@cache
def vendor_names() -> Mapping[str, tuple[str, ...]]:
    """Return other names of vendors, as people write them, by their identifiers."""
    return {row["vendor"]: tuple(row["names"].split(";")) for row in _rows("vendor_names.csv")}


@cache
def same_words() -> Mapping[str, tuple[str, ...]]:
    """Return which words mean the same as a word."""
    groups = [row["words"].split(";") for row in _rows("same_words.csv")]
    return {
        word: tuple(other for other in group if other != word) for group in groups for word in group
    }


def _rows(file: str) -> Iterable[dict[str, str]]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines())
