"""The words of entries and of queries, which the search index holds (docs/decisions/0111).

A text has *compounds*: runs of letters and digits joined by single signs, as in
``CVE-2026-12345``, ``1.2.3`` or ``read_only``. A compound has *atoms*, its parts in order; a
version number is one atom. Its *tokens* are what finds it: itself, its atoms, and the beginnings of
a version. Chinese, Japanese and Korean runs have pairs of neighbours instead, because nothing there
says where a word ends. Each two neighbouring atoms of a text have a token as well, for phrases:
one of a million, so that an index of many texts stays small.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, chain, filterfalse, pairwise
from operator import itemgetter
from typing import Final
from unicodedata import normalize
from zlib import crc32

import orjson

LONGEST: Final = 64  # characters of a token
_MOST_NEIGHBOURS: Final = 1 << 20
NEIGHBOURS: Final = "%s-%x"  # the sign of a text, a number
_CJK: Final = (
    "\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\U00020000-\U000323af"
)
_VOWELS: Final = (  # written around letters, in scripts of South and South East Asia
    "\u0900-\u0963\u0966-\u0dff\u0e30-\u0e4e\u0eb0-\u0ece\u0f71-\u0fbc\u102b-\u103e\u17b4-\u17d3"
)
_ACCENTS: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u065f\u1ab0-\u1aff"
    "\u1dc0-\u1dff\u20d0-\u20ff]"
)
_LETTER: Final = rf"(?:[^\W_{_CJK}]|[{_VOWELS}])"
_COMPOUND: Final = re.compile(
    rf"[{_CJK}]+|(?:(?<![\w.])\.(?=[a-z]))?{_LETTER}+(?:(?:[.\-]|_+){_LETTER}+)*(?:\+\+|#(?!\w))?"
)
_RUN: Final = re.compile(rf"[{_CJK}]")
_ATOM: Final = re.compile(rf"(?<!\w)v?(\d+(?:\.\d+)+)|((?:[^\W_]|[{_VOWELS}])+(?:\+\+|#)?)")
_BEFORE_VERSION: Final = re.compile(r"(?<!\w)v(?=\d+\.\d)")
_ASCII: Final = re.sub(r"[^\w\s.+#-]", " ", "".join(map(chr, range(128)))).lower()
"""Each ASCII character in lower case, or a blank where it is in no compound."""
_BLANK: Final = re.compile(r"[!\"$-*,/:-@\[-^`{-~]+")  # as above, for other texts
_PLAIN: Final = re.compile(r"[a-uw-z0-9][a-z0-9]{,63}").fullmatch  # is a token and an atom
_UNIFORM: Final = str.maketrans(
    dict.fromkeys("\u2010\u2011\u2012\u2212", "-")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u00ab\u00bb", '"')
    | dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff")
)


def fold(text: str) -> str:
    """Return a text without case and accents, with one kind of hyphens and quotation marks."""
    if text.isascii():
        return text.lower()
    letters = normalize("NFKD", text.translate(_UNIFORM)).casefold()
    return normalize("NFC", _ACCENTS.sub("", letters))


def compounds_of(folded: str) -> list[str]:
    """Return the compounds of a folded text, in order."""
    return _COMPOUND.findall(folded)


@lru_cache(maxsize=1_000)
def atoms_of(compound: str) -> tuple[str, ...]:
    """Return the parts of a compound in order; each sign of a CJK run is one."""
    if is_cjk(compound):
        return tuple(compound)
    return tuple((version or word)[:LONGEST] for version, word in _ATOM.findall(compound))


def tokens_of(compound: str) -> tuple[str, ...]:
    """Return what finds a compound."""
    if is_cjk(compound):
        return (*pairs_of(compound), compound[-1])
    tokens = [whole(compound)]
    for atom in atoms_of(compound):
        tokens.append(atom)
        if "." in atom:
            tokens += [*accumulate(atom.split("."), "{}.{}".format)][1:-1]
        elif atom[0] == "v" and atom[1:].isdigit():
            tokens.append(atom[1:])
    return tuple(dict.fromkeys(tokens))


def public_texts(public: bytes) -> tuple[str, ...]:
    """Return the texts of a PublicEntry, its title first."""
    entry = orjson.loads(public)
    return entry["title"], entry["source"], entry.get("headline") or "", entry.get("summary") or ""


def whole_texts(document: bytes, public: bytes) -> tuple[str, ...]:
    """Return the texts of a PublicEntry and that of its ChangelogEntry, which comes last."""
    return *public_texts(public), orjson.loads(document).get("summary") or ""


@lru_cache(maxsize=100)
def tokens_of_texts(texts: tuple[str, ...]) -> dict[str, None]:
    """Return the tokens of texts, each once."""
    tokens, numbers = found_in(texts)
    return tokens | dict.fromkeys(NEIGHBOURS % ("", number) for number in numbers)


def found_in(texts: Iterable[str]) -> tuple[dict[str, None], dict[int, None]]:
    """Return the tokens of texts, and the numbers of their neighbours, each once."""
    tokens, numbers = dict[str, None](), dict[int, None]()
    for text in texts:
        spaced = text.translate(_ASCII) if text.isascii() else _BLANK.sub(" ", text).lower()
        pieces = spaced.split()
        found = {piece: _taken_apart(piece) for piece in {*pieces} if not _PLAIN(piece)}
        tokens |= dict.fromkeys(filterfalse(found.__contains__, pieces))
        tokens |= dict.fromkeys(chain.from_iterable(map(itemgetter(0), found.values())))
        atoms = {piece: " ".join(atoms) for piece, (_, atoms) in found.items()}
        numbers |= dict.fromkeys(_numbers(" ".join(map(atoms.get, pieces, pieces))))
    return tokens, numbers


def neighbours(atoms: Iterable[str]) -> tuple[str, ...]:
    """Return the tokens of each two neighbouring atoms; no other token begins as these do."""
    return tuple(NEIGHBOURS % ("", number) for number in _numbers(" ".join(atoms)))


def _numbers(atoms: str) -> list[int]:
    pairs = map(b" ".join, pairwise(atoms.encode().split()))
    return [number % _MOST_NEIGHBOURS for number in map(crc32, pairs)]


@lru_cache(maxsize=10_000)
def _taken_apart(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens and atoms of a text without blanks."""
    folded = fold(piece)
    word = folded.rstrip('."').lstrip('"')
    if word.isalnum() and word[0] != "v" and not _RUN.search(word):
        return (word[:LONGEST],), (word[:LONGEST],)
    compounds = compounds_of(folded)
    tokens = chain.from_iterable(map(tokens_of, compounds))
    return tuple(tokens), tuple(chain.from_iterable(map(atoms_of, compounds)))


def whole(compound: str) -> str:
    """Return a compound as one token: ``v1.2.3`` is ``1.2.3``."""
    return _BEFORE_VERSION.sub("", compound)[:LONGEST]


def is_cjk(compound: str) -> bool:
    """Return whether a compound is a run of Chinese, Japanese or Korean writing."""
    return not compound.isascii() and _RUN.match(compound) is not None


def pairs_of(run: str) -> tuple[str, ...]:
    """Return each two neighbours of a run."""
    return tuple(run[place : place + 2] for place in range(len(run) - 1))
