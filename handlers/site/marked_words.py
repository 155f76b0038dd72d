"""A line of a vendor's text as markup: code as code, searched words marked, everything escaped."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from markupsafe import Markup

from handlers.site.words import with_spans
from storage.entries.search.query import Query
from storage.entries.search.words import atoms_of, compounds_of, fold, is_cjk, tokens_of, whole

_CODE: Final = re.compile(r"(`{1,2})(?!`)([^`\n]{1,300})\1(?!`)")
_HIT: Final = Markup('<mark class="hit">{}</mark>')
_NO_BLANKS: Final = re.compile(r"\S+")
Span = tuple[int, int]


class SearchedWords(NamedTuple):
    """The tokens that a search asks for, but for those that must not occur."""

    tokens: frozenset[str]
    beginnings: tuple[str, ...]

    def means(self, token: str) -> bool:
        """Return whether a token is one of them."""
        return token in self.tokens or token.startswith(self.beginnings)


def searched_words(query: Query) -> SearchedWords:
    """Return the words of a search that can be marked."""
    tokens = [token for term in query if not term.negated for token in term.tokens]
    beginnings = (token[:-1] for token in tokens if token.endswith("*"))
    return SearchedWords(frozenset(tokens), tuple(beginnings))


def inline(text: str, words: SearchedWords | None = None) -> Markup:
    """Return a line as markup."""
    written, reached = Markup(), 0
    for code in _CODE.finditer(text):
        written += _with_marks(text[reached : code.start()], words)
        written += Markup("<code>{}</code>").format(_with_marks(code[2].strip(), words))
        reached = code.end()
    return written + _with_marks(text[reached:], words)


def has_words(text: str, words: SearchedWords) -> bool:
    """Return whether a text has any of the words."""
    return next(spans_of(text, words), None) is not None


def spans_of(text: str, words: SearchedWords) -> Iterator[Span]:
    """Yield where words are in a text, in order."""
    for piece in _NO_BLANKS.finditer(text):
        at = piece.start()
        yield from ((at + start, at + end) for start, end in _spans_of_piece(piece[0], words))


@lru_cache(maxsize=10_000)
def _spans_of_piece(piece: str, words: SearchedWords) -> tuple[Span, ...]:
    """Return the spans in a text without blanks."""
    folded, reached = fold(piece), 0
    spans: list[Span] = []
    for compound in compounds_of(folded):
        begins = folded.index(compound, reached)
        reached = begins + len(compound)
        for start, end in _inside(compound, words):
            if spans and begins + start <= spans[-1][1]:
                start = spans.pop()[0] - begins
            spans.append((begins + start, begins + end))
    return ((0, len(piece)),) if spans and len(folded) != len(piece) else tuple(spans)


def _inside(compound: str, words: SearchedWords) -> Iterator[Span]:
    """Yield the parts of a compound that were searched: itself, or some of its atoms."""
    if is_cjk(compound):
        for place in range(len(compound)):
            if words.means(compound[place : place + 2]):
                yield place, min(place + 2, len(compound))
    elif words.means(whole(compound)):
        yield 0, len(compound)
    else:
        reached = 0
        for atom in atoms_of(compound):
            start = compound.find(atom, reached)
            reached = max(start, reached) + len(atom)
            if start >= 0 and any(map(words.means, tokens_of(atom))):
                yield start, reached


def _with_marks(text: str, words: SearchedWords | None) -> Markup:
    return with_spans(text, spans_of(text, words) if words else (), _HIT)
