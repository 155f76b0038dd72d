"""The words of a statement: lower case, inflection removed, names and numbers levelled.

A model that has to judge vendors it has never seen must not learn their products'
names, so whatever looks like an identifier, a version or a number becomes one of the
placeholders in angle brackets.
"""

import re
from itertools import chain

from ingest.importance.mask import FILLER

CODE, NAME, NUMBER, VERSION = "<code>", "<name>", "<number>", "<version>"
PLACEHOLDERS = frozenset((CODE, NAME, NUMBER, VERSION))
MOST_REMEMBERED = 50_000  # pieces of text between blanks

_WORD = re.compile(rf"{FILLER}+|[^\W\d_]+(?:['’][^\W\d_]+)?(?:[._/:@][^\W_]\w*)*\w*|v?\d[\w.]*|⚠")
_SUFFIXES = (
    ("ations", "ate"),
    ("ation", "ate"),
    ("ities", "ity"),
    ("ies", "y"),
    ("sses", "ss"),
    ("ing", ""),
    ("ed", ""),
    ("es", ""),
    ("s", ""),
)
_LAST_LETTERS = frozenset(suffix[-1] for suffix, _ in _SUFFIXES)
_KEPT = frozenset(("does", "this", "status", "always", "process", "access"))


def stem(word: str) -> str:
    """Cut the inflection: ``removes``, ``removed`` and ``removing`` are all ``remov``.

    The result need not be a word; it only has to be the same for the same verb.
    """
    if len(word) < 4 or word in _KEPT:
        return word
    for suffix, ending in _SUFFIXES if word[-1] in _LAST_LETTERS else ():
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + ending
            break
    return word[:-1] if word.endswith("e") and len(word) > 4 else word


def words(masked: str) -> list[str]:
    """Return the statement's words in order, as the model knows them."""
    return list(chain.from_iterable(map(_WORDS.__getitem__, masked.split())))


class _Remembered(dict[str, tuple[str, ...]]):
    """The words of every piece between blanks met so far: no word has a blank inside."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        """Remember the words of a new piece; begin anew when there are too many."""
        if len(self) >= MOST_REMEMBERED:
            self.clear()
        forms = self[piece] = tuple(_form(word) for word in _WORD.findall(piece))
        return forms


_WORDS = _Remembered()


def _form(word: str) -> str:
    """Return the level form of one word."""
    if word.isalpha() and word.isascii():  # as most are
        return NAME if _is_camel(word) else stem(word.lower())
    if word[0] == FILLER:
        return CODE
    if word[0].isdigit() or (word[0] == "v" and word[1:2].isdigit()):
        return VERSION if "." in word else NUMBER
    if any(mark in word for mark in "_./:@") or not word.isascii():
        return NAME if word.isascii() else word.lower()
    if any(letter.isdigit() for letter in word) or _is_camel(word):
        return NAME
    return stem(word.lower().replace("’", "'"))


def _is_camel(word: str) -> bool:
    inner = word[1:]
    return inner != inner.lower() and not word.isupper()
