"""The searched texts of an entry, and whether a query matches them; the index gives the same.

Public searches use the public texts: title, headline, public summary, the slug of the source.
Callers who may read the whole entry search its whole text (docs/decisions/0111).
"""

from collections.abc import Collection
from enum import StrEnum
from functools import lru_cache
from itertools import chain

from storage.entries.search.query import Query, Term, parse_query
from storage.entries.search.words import atoms_of, compounds_of, fold, public_texts, tokens_of_texts


class Scope(StrEnum):
    """Which texts of entries a search may use."""

    PUBLIC = "public"
    WHOLE = "whole"


def document_matches(text: str, document: bytes) -> bool:
    """Return whether a search in whole texts finds a ChangelogEntry."""
    return matches(parse_query(text), public_texts(document))


def matches(query: Query, texts: tuple[str, ...]) -> bool:
    """Return whether an entry with these texts matches a query."""
    tokens = tokens_of_texts(texts)
    return bool(query) and all(
        term.negated
        != (all(_has(token, tokens) for token in term.tokens) and _has_phrase(term, texts))
        for term in query
    )


def phrases_match(query: Query, texts: tuple[str, ...]) -> bool:
    """Return whether an entry that the index finds also has the phrases of a query."""
    return all(term.negated != _has_phrase(term, texts) for term in query if term.phrase)


def _has(token: str, tokens: Collection[str]) -> bool:
    if token.endswith("*"):
        return any(other.startswith(token[:-1]) for other in tokens)
    return token in tokens


def _has_phrase(term: Term, texts: tuple[str, ...]) -> bool:
    phrase = f" {' '.join(term.phrase)} "
    if not term.phrase or (phrase.isascii() and phrase in " \n ".join(("", *texts, "")).lower()):
        return True  # most texts say it in just these letters, and folding takes long
    return any(phrase in f" {folded} " or phrase in _atoms(folded) for folded in map(fold, texts))


@lru_cache(maxsize=100)
def _atoms(folded: str) -> str:
    """Return the atoms of a folded text in order, each between blanks."""
    return f" {' '.join(chain.from_iterable(map(atoms_of, compounds_of(folded))))} "
