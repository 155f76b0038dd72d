"""Searches in the words of either database: one expression, written for FTS5 or as a tsquery."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from storage.entries.search.query import Term, Token


class _Signs(NamedTuple):
    conjunction: str
    disjunction: str
    exclusion: str
    beginning: str
    quote: str


_Endings: TypeAlias = Mapping[str, Sequence[str]]
_SIGNS: Final = {
    "sqlite": _Signs(" AND ", " OR ", " NOT ", "*", '"'),
    "postgresql": _Signs("&", "|", "&!", ":*", "'"),
}


@dataclass(frozen=True, slots=True)
class Expression:
    """What must hold of the words of an entry: of each group one, of the terms all.

    ``parts`` are the signs of the texts that wanted terms must be in, ``scope`` those of all that
    is searched. ``before``: entries that have the wanted terms in these parts alone are left out.
    ``endings``: the words of the index that begin with one, where they are known.
    """

    groups: Sequence[Sequence[str]]
    terms: Sequence[Term]
    scope: str
    parts: str
    before: str = ""
    endings: _Endings = field(default_factory=dict)


def written(expression: Expression, dialect: str) -> str:
    """Return an expression in the words of a database."""
    signs = _SIGNS[dialect]
    wanted = [term for term in expression.terms if not term.negated]
    endings = expression.endings
    required = [
        *(_one_of((_quoted(word, signs) for word in group), signs) for group in expression.groups),
        *(_term(term, expression.parts, endings, signs) for term in wanted),
    ]
    unwanted = [
        _term(term, expression.scope, endings, signs)
        for term in expression.terms
        if term.negated and not term.phrase  # that the words of a phrase occur says too little
    ]
    if expression.before:
        before = (_term(term, expression.before, endings, signs) for term in wanted)
        unwanted.append(_all(before, signs))
    without = f"{signs.exclusion}{_one_of(unwanted, signs)}" if unwanted else ""
    return f"{_all(required, signs)}{without}"


def _term(term: Term, parts: str, endings: _Endings, signs: _Signs) -> str:
    return _all((_token(token, parts, endings, signs) for token in term.tokens), signs)


def _token(token: Token, parts: str, endings: _Endings, signs: _Signs) -> str:
    words = [part + token.text for part in parts]
    if not token.beginning:
        return _one_of((_quoted(word, signs) for word in words), signs)
    alternatives = (
        [_quoted(whole, signs) for whole in endings.get(word, ())]
        or [_quoted(word, signs) + signs.beginning]
        for word in words
    )
    return _one_of(chain.from_iterable(alternatives), signs)


def _all(conditions: Iterable[str], signs: _Signs) -> str:
    return f"({signs.conjunction.join(dict.fromkeys(conditions))})"


def _one_of(conditions: Iterable[str], signs: _Signs) -> str:
    return f"({signs.disjunction.join(dict.fromkeys(conditions))})"


def _quoted(word: str, signs: _Signs) -> str:
    """Return a word as a string; no word has one of the marks in it."""
    return f"{signs.quote}{word}{signs.quote}"
