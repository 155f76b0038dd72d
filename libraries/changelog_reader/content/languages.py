"""Names of months and weekdays in the languages of vendors.

Those of the most frequent languages are here, the others as ``dateparser`` collects them. Only its
data are used: its own reading takes 1 to 3 ms a date and completes or guesses what a text
leaves open, while these words, put into English, go through the strict forms of dates.py. Loading
them takes 60 ms, so it happens once a process and only for a text that needs it.
"""

import re
import tomllib
import unicodedata
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_DATA: Final = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
LANGUAGES: Final = tuple(_DATA["languages"].split())
MONTHS: Final[Mapping[str, str]] = _DATA["months"]
SHORT_MONTHS: Final[Mapping[str, str]] = _DATA["short_months"]
ZONES: Final[Mapping[str, int]] = _DATA["zones"]

_ENGLISH: Final = MONTHS["en"].split()
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORD: Final = re.compile(r"[^\s\d.,;:()\[\]/+-][^\s\d,;:()\[\]/+-]*")
# In Polish, without the dot behind the day, listopada is November.
_CROATIAN_OCTOBER: Final = re.compile(r"(?<=[0-9]\. )listopada")


def numbered(names: str) -> Iterator[tuple[str, int]]:
    """Yield the names of a table with the numbers of their months."""
    for number, variants in enumerate(names.split(), start=1):
        yield from ((name, number) for name in variants.split("/"))


def month_names(language: str) -> Iterator[tuple[str, int]]:
    """Yield the names of months, long and short, each with the month's number."""
    data = _data_of(language)
    for number, month in enumerate(_ENGLISH, start=1):
        for name in data.get(month) or ():
            is_one_word = not any(sign.isspace() or sign.isdecimal() for sign in name)
            if is_one_word and (len(name) > 2 or not name.isascii()):
                yield name.lower(), number


def weekdays(language: str) -> Iterator[str]:
    """Yield the names of weekdays, long and short."""
    data = _data_of(language)
    return (name.lower() for day in _WEEKDAYS for name in data.get(day) or ())


def in_english(text: str, *, kept: Container[str]) -> str:
    """Return a date with its words in English; a word that is in no date becomes "?".

    Those of ``kept``, such as names of zones, stay as they are.
    """
    words = _words()
    text = _CROATIAN_OCTOBER.sub("october", text)

    def english(word: re.Match[str]) -> str:
        return word[0] if word[0] in kept else f" {words.get(_bare(word[0]), '?')} "

    return " ".join(_WORD.sub(english, text).split()).replace(" ,", ",").strip(" .,-")


def without_accents(text: str) -> str:
    """Return the text in lower case, without accents and with digits of any script as 0 to 9."""
    decomposed = unicodedata.normalize("NFKD", text)
    kept = (
        character if (digit := unicodedata.decimal(character, None)) is None else str(digit)
        for character in decomposed
        if not unicodedata.combining(character) and unicodedata.category(character) != "Cf"
    )
    return unicodedata.normalize("NFC", "".join(kept)).lower()


def _bare(word: str) -> str:
    return without_accents(word).replace(".", "")


@lru_cache(maxsize=64)
def _data_of(language: str) -> Mapping[str, Any]:
    """Return what the library knows of a language; nothing of one that is not read here."""
    language = {"no": "nb"}.get(language, language)
    if language not in LANGUAGES:
        return {}
    module = import_module(f"dateparser.data.date_translation_data.{language}")
    data: Mapping[str, Any] = module.info
    return data


@lru_cache(maxsize=1)
def _words() -> Mapping[str, str]:
    """Return the English word for each word that a date may have, "" for one that says nothing."""
    words: dict[str, str] = {}
    for language in reversed(LANGUAGES):
        data = _data_of(language)
        for half in ("am", "pm"):
            words |= {_bare(name): half for name in data.get(half) or () if len(_bare(name)) > 1}
        words |= {_bare(day): "" for day in weekdays(language)}
    words |= {_bare(particle): "" for particle in _DATA["particles"].split()}
    for language in reversed(LANGUAGES):
        words |= {_bare(name): _ENGLISH[number - 1] for name, number in month_names(language)}
    return words
