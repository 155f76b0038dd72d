"""Words that pages use around dates and releases, as data.

The words that may be beside a date or a version without saying anything more, and those by
which a page says that it is a changelog.
"""

import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from changelog_reader.content.languages import MONTHS, SHORT_MONTHS, month_names, numbered

_TABLES: Mapping[str, Mapping[str, str]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text("utf-8")
)
WORDS = {name: frozenset(text.split()) for name, text in _TABLES["words"].items()}
PHRASES = {
    name: tuple(" ".join(phrase.split()) for phrase in text.split(","))
    for name, text in _TABLES["phrases"].items()
}
DATE_COMPANIONS = WORDS["weekdays"] | WORDS["date_companions"]
VERSION_COMPANIONS = DATE_COMPANIONS | WORDS["version_companions"]
CHANGELOG_WORDS = PHRASES["changelog"]
SURE_CHANGELOG_WORDS = tuple(word for word in CHANGELOG_WORDS if word not in WORDS["of_magazines"])

# Pages often name no language, or a wrong one. More names everywhere would cost every page.
_UNNAMED = ("pl", "cs", "ru", "uk", "sv", "da", "nb", "fi", "tr", "id")


@lru_cache(maxsize=16)
def month_numbers(language: str) -> Mapping[str, int]:
    """Return every month name believed on a page in ``language`` ("" when unknown)."""
    numbers: dict[str, int] = {}
    for other in (language,) if language else _UNNAMED:
        if other not in MONTHS:
            numbers.update(month_names(other))
    for month, names in SHORT_MONTHS.items():
        if month == language or not language:
            numbers.update(numbered(names))
    for names in (*MONTHS.values(), SHORT_MONTHS["en"]):
        numbers.update(numbered(names))
    return numbers


def is_not_publication(words: str) -> bool:
    """Return whether the words before a date show that it is not the date of publication."""
    lowered = words.lower()
    return any(label in lowered for label in PHRASES["not_publication"])
