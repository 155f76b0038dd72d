"""Entries that a search finds, newest or likeliest first: the same ones on either database.

The index is asked for a span of days at a time, going back until there are enough: so a word that
most entries have costs no more in a large database than in a small one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice
from math import ceil
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    BigInteger,
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
from storage.engine.statements import (
    PreparedQuery,
    batches,
    is_sqlite,
    list_parameters,
    list_values,
)
from storage.engine.types import AnySelect
from storage.entries.entry_query import ALL_ENTRIES, NEWEST_FIRST, EntryList
from storage.entries.search.beginnings import endings
from storage.entries.search.expressions import Expression, written
from storage.entries.search.index import LAST_DAY, SIGNS, day_number, words_of_days
from storage.entries.search.matching import (
    Scope,
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

MOST_READ_FOR_PAGE: Final = 300
"""The same for a page of the site, which says how far it looked."""

_FIRST_SPAN: Final = 2  # days
_FASTEST: Final = 64  # times a span that the next one may be long
_LONGEST_SPAN: Final = 3_653  # days; a longer one, ten years, goes back to the oldest entry
_READ_AT_ONCE: Final = 100


@dataclass(frozen=True)
class EntrySearch:
    """What to find. ``groups``: words of the index that narrow the search, one of each group.

    ``entries`` has the conditions that the index does not know, ``values`` what they take.
    ``since`` and ``until`` bound the days to look at; the conditions say the same to the moment.
    ``most_read``: entries that are looked through for phrases.
    """

    query: SearchQuery
    scope: Scope
    groups: Sequence[Sequence[str]] = ()
    entries: EntryList = ALL_ENTRIES
    values: Mapping[str, Any] = field(default_factory=dict)
    order: SearchOrder = SearchOrder.DATE
    since: datetime | None = None
    until: datetime | None = None
    most_read: int = MOST_READ


class LookedBackTo(NamedTuple):
    """The last entry in which phrases were looked for: its key, and when it was published."""

    key: int
    published_at: datetime


class Hits(NamedTuple):
    """The keys of the entries that a search found, in its order.

    ``looked_back_to`` where there may be older entries that have the words of the phrases; None in
    another order, or where there are none.
    """

    keys: list[int]
    looked_back_to: LookedBackTo | None = None


def find_entries(
    session: Session, search: EntrySearch, *, now: datetime, most: int = MOST_HITS
) -> Hits:
    """Return the first entries that a search finds."""
    if not search.query.terms:
        return Hits([])
    if not search.query.has_phrases:
        return Hits(list(islice(_with_words(session, search, now, most, left=most), most)))
    candidates = _with_words(session, search, now, most, left=search.most_read)
    found: list[int] = []
    read: list[int] = []
    for keys in batches(candidates, _READ_AT_ONCE):
        found += _with_phrases(session, search, keys)
        if len(found) >= most:
            return Hits(found[:most])
        read += keys
    if len(read) < search.most_read or search.order is not SearchOrder.DATE:
        return Hits(found)
    (last,) = session.execute(select(Entry.id, Entry.published_at).where(Entry.id == read[-1]))
    return Hits(found, LookedBackTo(*last))


def _with_words(
    session: Session, search: EntrySearch, now: datetime, most: int, *, left: int
) -> Iterator[int]:
    """Yield the keys of ``left`` entries at most that have all words, the first in order."""
    _prefer_index(session)
    known = endings(session, search.query.terms, SIGNS[search.scope])
    for expression in _expressions(search):
        expression = replace(expression, endings=known)
        for keys in _spans(session, search, expression, now=now, left=left, most=most):
            left -= len(keys)
            yield from keys


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

    How dense the hits were says how long the next span is: so long that ``most`` are in it, and no
    longer than for what is ``left``.
    """
    dialect = session.get_bind().dialect.name
    query = _query(search.entries, dialect)
    oldest = 0 if search.since is None else day_number(search.since)
    last = LAST_DAY if search.until is None else day_number(search.until)
    days = _FIRST_SPAN
    first = max(min(day_number(now), last) + 1 - days, oldest)
    while left > 0 and last >= oldest:
        of_days = replace(expression, groups=[words_of_days(first, last), *expression.groups])
        values = {**search.values, "words": written(of_days, dialect), "most": left}
        keys = query.values(session, values)
        yield keys
        left -= len(keys)
        found = max(len(keys), 1)
        wider = min(max(min(left, most) // found, 2), _FASTEST)
        days = ceil(days * min(wider, left / found))
        last = first - 1
        first = oldest if days > _LONGEST_SPAN else max(first - days, oldest)


def _prefer_index(session: Session) -> None:
    """Keep PostgreSQL from a sequential scan when it overestimates the number of matches."""
    if not is_sqlite(session):
        _ONLY_INDEXES.rows(session, {})


def _with_phrases(session: Session, search: EntrySearch, keys: list[int]) -> list[int]:
    """Return the keys of those entries that have the phrases as well."""
    values = list_values("key", keys)
    texts = {
        key: public_text(documents[0])
        if search.scope is Scope.PUBLIC
        else searched_text(*documents)
        for key, *documents in _texts(search.scope, len(values)).rows(session, values)
    }
    return [key for key in keys if phrases_match(search.query, texts[key], search.scope)]


@cache
def _texts(scope: Scope, size: int) -> PreparedQuery:
    """Return the query of the documents that a scope searches, by keys."""
    documents = [Entry.public_document]
    if scope is Scope.WHOLE:
        documents.insert(0, Entry.document)
    keys = list_parameters("key", size, type_=BigInteger)
    return PreparedQuery(select(Entry.id, *documents).where(Entry.id.in_(keys)))


_ONLY_INDEXES: Final = PreparedQuery(
    select(
        *(
            func.set_config(f"enable_{way}", "off", literal_column("true"))
            for way in ("seqscan", "hashjoin", "mergejoin")
        )
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


@lru_cache(maxsize=512)
def _query(entries: EntryList, dialect: str) -> PreparedQuery:
    """Return the query of the entries of a list that have some ``words``, ``most`` at most."""
    having_words = _on_sqlite() if dialect == "sqlite" else _on_postgresql()
    query = having_words.where(*entries.conditions()).order_by(*NEWEST_FIRST)
    return PreparedQuery(query.limit(bindparam("most", type_=Integer)))
