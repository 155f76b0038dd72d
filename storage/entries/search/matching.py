"""The searched texts of an entry, and whether a query matches them; the index gives the same.

Public searches use the public texts: title, headline, public summary, the slug of the source.
Callers who may read the whole entry search its whole text (docs/decisions/0111).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

import orjson

from storage.entries.search.query import SearchQuery, Term, Token, parse_query
from storage.entries.search.words import LONGEST, atoms_of, compounds_of, fold, tokens_of_piece

MOST_COMPARED: Final = 4
"""Atoms of a phrase that a text is looked through for before it is taken apart."""


class Scope(StrEnum):
    """Which texts of entries a search may use."""

    PUBLIC = "public"
    WHOLE = "whole"


@dataclass(frozen=True)
class SearchedText:
    """The texts of an entry. ``shown``: what everybody is served besides its title."""

    title: str
    shown: Sequence[str]
    whole: str = field(default="")

    def texts(self, scope: Scope) -> tuple[str, ...]:
        """Return what is searched."""
        public = (self.title, *self.shown)
        return public if scope is Scope.PUBLIC else (*public, self.whole)

    @cached_property
    def title_tokens(self) -> dict[str, None]:
        """Return the tokens of the title."""
        return tokens_of_texts((self.title,))

    @cached_property
    def shown_tokens(self) -> dict[str, None]:
        """Return the tokens of what everybody is served besides."""
        return tokens_of_texts(self.shown)

    @cached_property
    def whole_tokens(self) -> dict[str, None]:
        """Return the tokens of the whole text."""
        return tokens_of_texts((self.whole,))

    def tokens(self, scope: Scope) -> dict[str, None]:
        """Return the tokens of what is searched."""
        public = self.title_tokens | self.shown_tokens
        return public if scope is Scope.PUBLIC else public | self.whole_tokens


def searched_text(document: bytes, public: bytes | None = None) -> SearchedText:
    """Return the texts of a ChangelogEntry and, where it is at hand, of its PublicEntry."""
    entry = orjson.loads(document)
    shown = [] if public is None else _shown(orjson.loads(public))
    return SearchedText(entry["title"], (entry["source"], *shown), entry.get("summary") or "")


def public_text(public: bytes) -> SearchedText:
    """Return the texts of a PublicEntry."""
    entry = orjson.loads(public)
    return SearchedText(entry["title"], (entry["source"], *_shown(entry)))


def _shown(public: dict[str, str | None]) -> list[str]:
    return [public.get("headline") or "", public.get("summary") or ""]


def tokens_of_texts(texts: Iterable[str]) -> dict[str, None]:
    """Return the tokens of texts, each once."""
    pieces = dict.fromkeys(chain.from_iterable(text.split() for text in texts))
    return dict.fromkeys(chain.from_iterable(map(tokens_of_piece, pieces)))


def document_matches(text: str, document: bytes) -> bool:
    """Return whether a search in whole texts finds a ChangelogEntry."""
    return matches(parse_query(text), searched_text(document), Scope.WHOLE)


def matches(query: SearchQuery, text: SearchedText, scope: Scope) -> bool:
    """Return whether an entry matches a query."""
    tokens = text.tokens(scope)
    return bool(query.terms) and all(
        term.negated != (_has_tokens(term, tokens) and _has_phrase(term, text.texts(scope)))
        for term in query.terms
    )


def phrases_match(query: SearchQuery, text: SearchedText, scope: Scope) -> bool:
    """Return whether an entry that has the tokens of a query also has its phrases."""
    return all(
        term.negated != _has_phrase(term, text.texts(scope)) for term in query.terms if term.phrase
    )


def _has_tokens(term: Term, tokens: dict[str, None]) -> bool:
    return all(_has(token, tokens) for token in term.tokens)


def _has(token: Token, tokens: dict[str, None]) -> bool:
    if token.beginning:
        return any(other.startswith(token.text) for other in tokens)
    return token.text in tokens


def _has_phrase(term: Term, texts: Sequence[str]) -> bool:
    """Tell whether one of the texts has a phrase; few of them have to be taken apart for it."""
    if not term.phrase:
        return True
    begins = _beginning_of(term.phrase)
    if begins.search(fold("\n".join(texts))) is None:
        return False
    folded = map(fold, texts)
    return any(begins.search(text) and _holds(_atoms(text), term.phrase) for text in folded)


@lru_cache(maxsize=1_000)
def _beginning_of(phrase: tuple[str, ...]) -> re.Pattern[str]:
    """Return what every text with a phrase has: its first atoms with no other between them."""
    first = phrase[:MOST_COMPARED] if all(len(atom) < LONGEST for atom in phrase) else phrase[:1]
    return re.compile(r"[\W_]*v?".join(map(re.escape, first)))


def _atoms(folded: str) -> list[str]:
    return [atom for compound in compounds_of(folded) for atom in atoms_of(compound)]


def _holds(atoms: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    return any(
        tuple(atoms[place : place + size]) == phrase
        for place, atom in enumerate(atoms)
        if atom == phrase[0]
    )
