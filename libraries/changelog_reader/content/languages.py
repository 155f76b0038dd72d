"""Names of months and weekdays in the languages of vendors.

Those of the most frequent languages are here, the others as ``dateparser`` collects them. Only its
data are used: its own reading takes 1 to 3 ms a date and completes or guesses what a text
leaves open, while these words, put into English, go through the strict forms of dates.py. Loading
them takes 60 ms, so it happens once a process and only for a text that needs it.
"""

import re
import unicodedata
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

LANGUAGES: Final = (
    *("ar", "bg", "bs", "ca", "cs", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr"),
    *("gl", "he", "hi", "hu", "id", "it", "lt", "lv", "mk", "ms", "nb", "nl", "pl", "pt", "ro"),
    *("ru", "sk", "sl", "sr", "sr-Latn", "sv", "th", "tr", "uk", "hr"),
)
"""Where a name means two months, the first of these languages has it: Croatian comes last."""

# Full names, January to December. Variants of one month are separated by a slash.
MONTHS: Final[Mapping[str, str]] = {
    "en": "january february march april may june july august september october november december",
    "de": "januar/jänner februar märz/maerz april mai juni juli august september oktober november "
    "dezember",
    "fr": "janvier février/fevrier mars avril mai juin juillet août/aout septembre octobre "
    "novembre décembre/decembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre "
    "noviembre diciembre",
    "pt": "janeiro fevereiro março/marco abril maio junho julho agosto setembro outubro novembro "
    "dezembro",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
}

# Short names. They are believed on pages of their own language only, English ones everywhere:
# "set", "out" and "mar" are words elsewhere.
SHORT_MONTHS: Final[Mapping[str, str]] = {
    "en": "jan feb mar apr may jun jul aug sep/sept oct nov dec",
    "de": "jan/jän feb mär/mrz apr mai jun jul aug sep/sept okt nov dez",
    "fr": "janv/jan févr/fév/fev mars avr mai juin juil août/aou sept/sep oct nov déc/dec",
    "es": "ene feb mar abr may jun jul ago sep/sept/set oct nov dic",
    "pt": "jan fev mar abr mai jun jul ago set out nov dez",
    "it": "gen feb mar apr mag giu lug ago set ott nov dic",
    "nl": "jan feb mrt apr mei jun jul aug sep okt nov dec",
}

_ENGLISH: Final = MONTHS["en"].split()
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# "at", "on", "of", "year", "day" and "o'clock", where the data have no word or a longer one
_PARTICLES: Final = (
    "at on of the de del den la las les le el em om um uhr kl klo kell alle ore ob ora a o u v w"
    " в о об у г р року года година m d gada godz roku pukul jam tanggal στις ώρα เวลา น"
    " ที่ วันที่ พศ คศ ב في الساعة को बजे e às dne dia saat den"
)
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
    words |= {_bare(particle): "" for particle in _PARTICLES.split()}
    for language in reversed(LANGUAGES):
        words |= {_bare(name): _ENGLISH[number - 1] for name, number in month_names(language)}
    return words
