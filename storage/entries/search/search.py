"""Entries that a search finds, newest or likeliest first: the same ones on either database.

The index is asked for a span of days at a time, going back until there are enough: so a word that
most entries have costs no more in a large database than in a small one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    String,
    bindparam,
    cast,
    column,
    func,
    literal_column,
    select,
    table,
)
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import batches, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.search.beginnings import endings
from storage.entries.search.expressions import Expression, written
from storage.entries.search.index import LAST_DAY, SIGNS, day_number, words_of_days
from storage.entries.search.matching import (
    Scope,
    SearchedText,
    phrases_match,
    public_text,
    searched_text,
)
from storage.entries.search.query import SearchQuery
from storage.models import Entry

MOST_HITS: Final = 1_000
"""Entries that a search finds at most: the first ones of its order."""

MOST_READ: Final = 5_000
"""Entries in which phrases are looked for: the first ones that have their words."""

_FIRST_SPAN: Final = 2  # days
_FASTEST: Final = 64  # times a span that the next one may be long
_READ_AT_ONCE: Final = 100


@dataclass(frozen=True)
class EntrySearch:
    """What to find. ``groups``: words of the index that narrow the search, one of each group.

    ``conditions`` are those on entries that the index does not know, ``values`` what they take.
    ``since`` and ``until`` bound the days to look at; the conditions say the same to the moment.
    """

    query: SearchQuery
    scope: Scope
    groups: Sequence[Sequence[str]] = ()
    conditions: Sequence[ColumnElement[bool]] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
    order: SearchOrder = SearchOrder.DATE
    since: datetime | None = None
    until: datetime | None = None


def find_entries(
    session: Session, search: EntrySearch, *, now: datetime, most: int = MOST_HITS
) -> list[int]:
    """Return the keys of the first entries that a search finds, in its order."""
    return list(islice(_found(session, search, now, most), most)) if search.query.terms else []


def _found(session: Session, search: EntrySearch, now: datetime, most: int) -> Iterator[int]:
    has_phrases = search.query.has_phrases
    left = max(most, MOST_READ) if has_phrases else most
    _prefer_index(session)
    known = endings(session, search.query.terms, SIGNS[search.scope])
    for expression in _expressions(search):
        expression = replace(expression, endings=known)
        for keys in _spans(session, search, expression, now=now, left=left, most=most):
            left -= len(keys)
            yield from _with_phrases(session, search, keys) if has_phrases else keys


def _expressions(search: EntrySearch) -> Iterator[Expression]:
    """Yield what finds the likeliest entries first, none of which the next one finds again."""
    signs, terms = SIGNS[search.scope], search.query.terms
    ranked = search.order is SearchOrder.RELEVANCE and not all(term.negated for term in terms)
    before = ""
    for end in range(1 if ranked else len(signs), len(signs) + 1):
        yield Expression(search.groups, terms, signs, signs[:end], before)
        before = signs[:end]


def _spans(
    session: Session,
    search: EntrySearch,
    expression: Expression,
    *,
    now: datetime,
    left: int,
    most: int,
) -> Iterator[list[int]]:
    """Yield what an expression finds, a span of days at a time, the newest first.

    How dense the hits were says how long the next span is: so long that ``most`` are in it.
    """
    dialect = session.get_bind().dialect.name
    statement = _STATEMENTS[dialect].where(*search.conditions)
    oldest = 0 if search.since is None else day_number(search.since)
    last = LAST_DAY if search.until is None else day_number(search.until)
    days = _FIRST_SPAN
    first = max(min(day_number(now), last) + 1 - days, oldest)
    while left > 0 and last >= oldest:
        of_days = replace(expression, groups=[words_of_days(first, last), *expression.groups])
        values = {**search.values, "words": written(of_days, dialect), "most": left}
        keys = list(session.scalars(statement, values))
        yield keys
        left -= len(keys)
        days *= min(max(min(left, most) // max(len(keys), 1), 2), _FASTEST)
        last, first = first - 1, max(first - days, oldest)


def _prefer_index(session: Session) -> None:
    """Keep PostgreSQL from a sequential scan when it overestimates the number of matches."""
    if not is_sqlite(session):
        session.execute(_ONLY_INDEXES)


def _with_phrases(session: Session, search: EntrySearch, keys: Sequence[int]) -> Iterator[int]:
    """Yield the keys of those entries that have the phrases as well, read a few at a time."""
    for batch in batches(keys, _READ_AT_ONCE):
        rows = session.execute(_TEXTS, {"keys": batch})
        texts = {row.id: _text(row, search.scope) for row in rows}
        yield from (key for key in batch if phrases_match(search.query, texts[key], search.scope))


def _text(row: Any, scope: Scope) -> SearchedText:
    if scope is Scope.PUBLIC:
        return public_text(row.public_document)
    return searched_text(row.document, row.public_document)


_NEWEST_FIRST: Final = (Entry.published_at.desc(), Entry.external_id.desc(), Entry.source_id.desc())
_TEXTS: Final[AnySelect] = select(Entry.id, Entry.document, Entry.public_document).where(
    Entry.id.in_(bindparam("keys", expanding=True))
)
_ONLY_INDEXES: Final = select(
    *(
        func.set_config(f"enable_{way}", "off", literal_column("true"))
        for way in ("seqscan", "hashjoin", "mergejoin")
    )
)


def _on_sqlite() -> AnySelect:
    """Return the statement that queries FTS5 first and does not scan entries by date."""
    words = table("entry_words", column("rowid", Integer))
    wanted = bindparam("words", type_=String)
    return (
        select(Entry.id)
        .join(words, words.c.rowid == Entry.id)
        .where(literal_column("entry_words").op("MATCH")(wanted))
        .with_hint(Entry, "NOT INDEXED", "sqlite")
    )


def _on_postgresql() -> AnySelect:
    """Return the statement that queries the GIN index first, then each entry by its key."""
    words = table("entry_words", column("entry_id", BigInteger), column("words", String))
    vector = func.array_to_tsvector(func.string_to_array(words.c.words, literal_column("' '")))
    wanted = cast(bindparam("words", type_=String), TSQUERY)
    matching = select(words.c.entry_id).where(vector.op("@@")(wanted))
    hits = matching.cte("hits").prefix_with("MATERIALIZED", dialect="postgresql")
    return select(Entry.id).join(hits, hits.c.entry_id == Entry.id)


_STATEMENTS: Final = {
    dialect: statement.order_by(*_NEWEST_FIRST).limit(bindparam("most", type_=Integer))
    for dialect, statement in (("sqlite", _on_sqlite()), ("postgresql", _on_postgresql()))
}
