"""The words of entries and of queries: what the search index holds (docs/decisions/0111).

A text is read as *compounds*: runs of letters and digits, joined by single signs as in
``CVE-2026-12345``, ``1.2.3`` or ``read_only``. A compound has *atoms*, its parts in order; a
version number is one atom. The index has for each compound its *tokens*: itself, its atoms, and for
a version what it begins with. Runs of Chinese, Japanese and Korean writing have pairs of neighbours
instead, for nothing there says where a word ends.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Final
from unicodedata import combining, normalize

LONGEST: Final = 64  # characters of a token; more tells no two apart
COMMONLY_MET: Final = 20_000  # compounds whose tokens are remembered

_CJK_SIGNS: Final = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\U00020000-\U000323af"
)
_MARKS: Final = (
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e4e\u0eb0-\u0ece\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3"
)
"""Vowels and the like that are written around letters, in scripts of South and South East Asia."""


def _compounds(letter: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:(?<![\w.])\.(?=[a-z]))?{letter}+(?:(?:[.\-]|_+){letter}+)*(?:\+\+|#(?!\w))?"
    )


_LETTER: Final = rf"(?:[^\W_{_CJK_SIGNS}]|[{_MARKS}])"
_COMPOUND: Final = _compounds(r"[^\W_]")
_COMPOUND_BESIDE_CJK: Final = re.compile(rf"[{_CJK_SIGNS}]+|{_compounds(_LETTER).pattern}")
_NOT_PLAIN: Final = re.compile(rf"[{_CJK_SIGNS}{_MARKS}]")
_CJK: Final = re.compile(rf"[{_CJK_SIGNS}]+")
_ATOM: Final = re.compile(rf"(?<!\w)v?(\d+(?:\.\d+)+)|((?:[^\W_]|[{_MARKS}])+(?:\+\+|#)?)")
_BEFORE_WORD: Final = "([\"'"
_BEHIND_WORD: Final = ".,;:!?)]\"'"
_BEFORE_VERSION: Final = re.compile(r"(?<!\w)v(?=\d+\.\d)")
_UNIFORM: Final = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2212", "-")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff")
)


def fold(text: str) -> str:
    """Return a text without case and accents, with hyphens and quotation marks of one kind."""
    if text.isascii():
        return text.lower()
    letters = normalize("NFKD", text.translate(_UNIFORM)).casefold()
    return normalize("NFC", letters.translate(_WITHOUT_ACCENTS))


class _WithoutAccents(dict[int, int | None]):
    """What becomes of each sign, for str.translate: nothing of an accent."""

    def __missing__(self, code: int) -> int | None:
        """Judge a sign that was not met yet."""
        kept = None if _is_accent(chr(code)) else code
        if len(self) < COMMONLY_MET:
            self[code] = kept
        return kept


_WITHOUT_ACCENTS: Final = _WithoutAccents()


def _is_accent(sign: str) -> bool:
    """Tell marks that may be left out from those that make another letter (か and が)."""
    return 10 <= combining(sign) <= 36 or combining(sign) >= 200


def compounds_of(folded: str) -> list[str]:
    """Return the compounds of a folded text, in order."""
    if not folded.isascii() and _NOT_PLAIN.search(folded):
        return _COMPOUND_BESIDE_CJK.findall(folded)
    return _COMPOUND.findall(folded)


@lru_cache(maxsize=COMMONLY_MET)
def atoms_of(compound: str) -> tuple[str, ...]:
    """Return the parts of a compound in order: a version number is one, a CJK sign is one."""
    if compound.isascii() and compound.isalnum():
        return (compound[:LONGEST],)
    if is_cjk(compound):
        return tuple(compound)
    return tuple((version or word)[:LONGEST] for version, word in _ATOM.findall(compound))


@lru_cache(maxsize=COMMONLY_MET)
def tokens_of_piece(piece: str) -> tuple[str, ...]:
    """Return what a piece of text between blanks is found by; no compound reaches over a blank."""
    word = piece.lstrip(_BEFORE_WORD).rstrip(_BEHIND_WORD)
    if word.isascii() and word.isalpha():  # as most are
        return (word.lower()[:LONGEST],)
    return tuple(chain.from_iterable(map(tokens_of, compounds_of(fold(piece)))))


@lru_cache(maxsize=COMMONLY_MET)
def tokens_of(compound: str) -> tuple[str, ...]:
    """Return what a compound is found by."""
    if is_cjk(compound):
        return (*pairs_of(compound), compound[-1])
    return tuple({whole(compound): None} | dict.fromkeys(_parts(compound)))


def _parts(compound: str) -> Iterator[str]:
    for atom in atoms_of(compound):
        yield atom
        if atom[0].isdigit() and "." in atom:
            numbers = atom.split(".")
            for count in range(2, len(numbers)):
                yield ".".join(numbers[:count])
        elif atom[0] == "v" and atom[1:].isdigit():
            yield atom[1:]


def whole(compound: str) -> str:
    """Return a compound as one token: ``v1.2.3`` is ``1.2.3``."""
    if "." in compound and "v" in compound:
        compound = _BEFORE_VERSION.sub("", compound)
    return compound[:LONGEST]


def is_cjk(compound: str) -> bool:
    """Tell whether a compound is a run of Chinese, Japanese or Korean writing."""
    return not compound.isascii() and _CJK.match(compound) is not None


def pairs_of(run: str) -> tuple[str, ...]:
    """Return each two neighbours of a run."""
    return tuple(run[place : place + 2] for place in range(len(run) - 1))
