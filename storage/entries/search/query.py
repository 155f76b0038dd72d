"""Queries: words, "phrases", beginnings* and -excluded words; every text is one."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from storage.entries.search.words import (
    atoms_of,
    compounds_of,
    fold,
    is_cjk,
    neighbours,
    pairs_of,
    whole,
)

SHORTEST_BEGINNING: Final = 3  # letters before a star; the star after fewer is left out
_PIECE: Final = re.compile(r'(?<!\S)(?P<not>-?)"(?P<phrase>[^"]*)"|(?P<word>\S+)')


class Term(NamedTuple):
    """Tokens that must all occur or, if ``negated``, not all of them.

    A token with a star at its end is the beginning of one. ``phrase``: atoms that must also stand
    in this order, which only the text can tell.
    """

    tokens: tuple[str, ...]
    negated: bool = False
    phrase: tuple[str, ...] = ()

    @property
    def indexed(self) -> tuple[str, ...]:
        """The tokens to look up in the index; few texts have those of a phrase without it."""
        return neighbours(self.phrase) or self.tokens


Query: TypeAlias = tuple[Term, ...]
"""Terms that must all hold; a query without any finds nothing."""


@lru_cache(maxsize=1_000)
def parse_query(text: str) -> Query:
    """Return the terms of a query."""
    terms = map(_term, _PIECE.finditer(fold(text)))
    return tuple(dict.fromkeys(term for term in terms if term.tokens))


def _term(piece: re.Match[str]) -> Term:
    word, phrase, negated = piece["word"], piece["phrase"], bool(piece["not"])
    if phrase is None:
        return Term(tuple(_tokens(word)), word.startswith("-") and not word.startswith("--"))
    compounds = compounds_of(phrase)
    if len(compounds) == 1 and not is_cjk(compounds[0]):
        return Term((whole(compounds[0]),), negated)
    atoms = tuple(atom for compound in compounds for atom in atoms_of(compound))
    tokens = (_run(each) if is_cjk(each) else atoms_of(each) for each in compounds)
    return Term(tuple(dict.fromkeys(token for some in tokens for token in some)), negated, atoms)


def _tokens(word: str) -> Iterator[str]:
    stem = word.rstrip("*")
    compounds = compounds_of(stem)
    last = compounds[-1] if compounds and stem != word else ""
    is_beginning = len(last) >= SHORTEST_BEGINNING and not is_cjk(last)
    for compound in compounds[:-1] if is_beginning else compounds:
        yield from _run(compound) if is_cjk(compound) else (whole(compound),)
    if is_beginning:
        yield whole(last + stem[-1] if stem[-1] in ".-_" else last) + "*"


def _run(run: str) -> tuple[str, ...]:
    return pairs_of(run) if len(run) > 1 else (f"{run}*",)
