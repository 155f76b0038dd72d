"""Queries: words, "phrases", beginnings* and -excluded words.

Every text is a valid query: a sign without a meaning is taken literally, and has no words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from storage.entries.search.words import atoms_of, compounds_of, fold, is_cjk, pairs_of, whole

SHORTEST_BEGINNING: Final = 3
"""Letters before a star; with fewer nearly every entry is meant, and the star is left out."""

_PIECE: Final = re.compile(r'(?<!\S)(?P<not>-?)"(?P<phrase>[^"]*)"|(?P<word>\S+)')


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the index; where it is a ``beginning``, every token that begins so."""

    text: str
    beginning: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """Tokens that must all occur or, where it is ``negated``, not all of them.

    ``phrase``: atoms that must stand in this order besides, which only the text can tell.
    """

    tokens: tuple[Token, ...]
    negated: bool = False
    phrase: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """The terms of a search, all of which must hold. Without any, nothing is found."""

    terms: tuple[Term, ...]

    @property
    def has_phrases(self) -> bool:
        """Return whether a query has phrases, which the index does not know."""
        return any(term.phrase for term in self.terms)


@lru_cache(maxsize=1_000)
def parse_query(text: str) -> SearchQuery:
    """Parse a query."""
    terms = (term for piece in _PIECE.finditer(fold(text)) for term in _terms(piece))
    return SearchQuery(tuple(dict.fromkeys(terms)))


def _terms(piece: re.Match[str]) -> Iterator[Term]:
    if piece["phrase"] is not None:
        term = _phrase(piece["phrase"], negated=bool(piece["not"]))
    else:
        word = piece["word"]
        negated = word.startswith("-") and not word.startswith("--")
        term = Term(tuple(_tokens(word)), negated)
    if term.tokens:
        yield term


def _phrase(text: str, *, negated: bool) -> Term:
    compounds = compounds_of(text)
    if len(compounds) == 1 and not is_cjk(compounds[0]):
        return Term((Token(whole(compounds[0])),), negated)
    atoms = tuple(atom for compound in compounds for atom in atoms_of(compound))
    return Term(tuple(dict.fromkeys(_tokens_of_atoms(compounds))), negated, atoms)


def _tokens_of_atoms(compounds: Sequence[str]) -> Iterator[Token]:
    for compound in compounds:
        if is_cjk(compound):
            yield from _tokens_of_run(compound)
        else:
            yield from map(Token, atoms_of(compound))


def _tokens(word: str) -> Iterator[Token]:
    """Yield the tokens of a word."""
    stem = word.rstrip("*")
    compounds = compounds_of(stem)
    beginning = _beginning(stem, compounds[-1]) if stem != word and compounds else None
    for compound in compounds[:-1] if beginning else compounds:
        if is_cjk(compound):
            yield from _tokens_of_run(compound)
        else:
            yield Token(whole(compound))
    if beginning:
        yield Token(beginning, beginning=True)


def _beginning(stem: str, last: str) -> str | None:
    """Return the beginning that a star after a stem means, with the sign that it ends with."""
    if is_cjk(last) or len(last) < SHORTEST_BEGINNING:
        return None
    return whole(last + stem[-1] if stem[-1] in ".-_" else last)


def _tokens_of_run(run: str) -> Iterator[Token]:
    """Yield the pairs of a run; a single sign begins one."""
    if len(run) == 1:
        yield Token(run, beginning=True)
    yield from map(Token, pairs_of(run))
