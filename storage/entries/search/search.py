"""Entries that a search finds within a list and its filter, newest or likeliest first.

The index is asked for the newest entries first, for ever longer spans of time until there are
enough: so a word that most entries have costs no more in a large database than in a small one.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    Integer,
    String,
    bindparam,
    cast,
    column,
    literal_column,
    select,
    table,
    true,
)
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import Row, batches, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.clock_skew import FUTURE_TOLERANCE
from storage.entries.entry_filter import EntryFilter, matching_sources
from storage.entries.entry_query import (
    IMPORTANT,
    LISTED,
    MOST_MERGED,
    NEWEST_FIRST,
    EntryList,
    rows_of_keys,
)
from storage.entries.search import index
from storage.entries.search.index import SIGNS, span_of
from storage.entries.search.matching import Scope, phrases_match, public_text, searched_text
from storage.entries.search.query import Query, parse_query
from storage.models import Entry

MOST_HITS: Final = 1_000
"""Entries that a search finds at most: the first ones of its order.

Phrases are looked for in the texts of as many that the index finds.
"""
MOST_DEADLINES: Final = 20_000  # as many as are shown in all
_SPANS: Final = (1, 4, 32)  # of 16 days each, back from the newest
_READ_AT_ONCE: Final = 100
_OLDEST: Final = datetime(1, 2, 1, tzinfo=UTC)
_MOST: Final = bindparam("most", type_=Integer)
_IN_SPANS: Final = Entry.published_at >= bindparam("first")


class Hits(NamedTuple):
    """The keys of the entries that are found, in order; ``is_cut``: there may be more."""

    keys: list[int]
    is_cut: bool = False


class RowPage(NamedTuple):
    """Rows of a list, and how many it has in all; ``is_cut``: it may have more."""

    total: int
    rows: list[Row]
    is_cut: bool = False


@dataclass(frozen=True)
class EntrySearch:
    """A list of entries that the ``q`` of its filter narrows.

    ``chosen`` as in EntryList. ``source_ids``: the sources of its entries, None for those that the
    filter means, or all. ``words`` of the index are what all of its entries have.
    """

    filter: EntryFilter
    chosen: frozenset[str]
    scope: Scope
    now: datetime
    source_ids: Collection[int] | None = None
    order: SearchOrder = SearchOrder.DATE
    words: Sequence[str] = ()

    def page(
        self, session: Session, columns: str, *, limit: int, offset: int, most: int = MOST_HITS
    ) -> RowPage:
        """Return a page, and how many entries are found; only the first ``most`` are counted."""
        keys, is_cut = self.hits(session, most=most)
        rows = rows_of_keys(session, columns, keys[offset : offset + limit])
        return RowPage(len(keys), rows, is_cut)

    def hits(self, session: Session, *, most: int = MOST_HITS) -> Hits:
        """Return the first entries that are found."""
        query = parse_query(self.filter.q or "")
        nowhere = self.source_ids is not None and not self.source_ids
        if not query or nowhere or self.filter.is_contradictory:
            return Hits([])
        has_phrases = any(term.phrase for term in query)
        limit = max(most, MOST_HITS) if has_phrases else most
        found: list[int] = []
        read = 0
        for keys in batches(self._with_words(session, query, limit), _READ_AT_ONCE):
            read += len(keys)
            found += _with_phrases(session, query, self.scope, keys) if has_phrases else keys
            if len(found) >= most or read >= limit:
                return Hits(found[:most], is_cut=True)
        return Hits(found)

    def _with_words(self, session: Session, query: Query, limit: int) -> Iterator[int]:
        """Yield the keys of the entries that have all words, the first in order; each once."""
        seen: dict[int, None] = {}
        signs = SIGNS[self.scope]
        for parts in ("t", signs) if self.order is SearchOrder.RELEVANCE else (signs,):
            words = _words(query, signs, parts)
            for keys in self._newest(session, words, limit):
                yield from (key for key in keys if key not in seen)
                seen |= dict.fromkeys(keys)

    def _newest(self, session: Session, words: str, limit: int) -> Iterator[Sequence[int]]:
        """Yield the newest entries of ever longer spans, each of which has those before it."""
        on_sqlite = is_sqlite(session)
        few = self.source_ids is not None and len(self.source_ids) <= MOST_MERGED
        shape = self.filter.shape.of_entries if few else self.filter.shape
        entries = EntryList(self.chosen, shape)
        statement = _on_sqlite(entries) if on_sqlite else _on_postgresql(entries)
        values = {"until": self.now + FUTURE_TOLERANCE, **self.filter.values()}
        required = [*map(_one_of, self._groups(few=few)), words]
        newest = span_of(min(self.now, self.filter.until or self.now))
        oldest = span_of(self.filter.since or _OLDEST)
        for spans in (*_SPANS, None):
            first = oldest if spans is None else max(newest - spans, oldest)
            within = index.EVERY if spans is None else index.words_of_spans(first, newest)
            wanted = "&".join(filter(None, [_one_of(within), *required]))
            values |= {
                "words": _in_fts5(wanted) if on_sqlite else wanted,
                "first": index.start_of(first),
                "most": limit,
            }
            keys = session.scalars(statement, values).all()
            yield keys
            if first == oldest or len(keys) >= limit:
                return

    def _groups(self, *, few: bool) -> Iterator[Sequence[str]]:
        """Yield words of the index, of each group one, that narrow the search."""
        yield from ([word] for word in self.words)
        if few:
            yield [index.source_word(source_id) for source_id in self.source_ids or ()]
        if self.filter.categories or IMPORTANT in self.chosen:
            yield [index.IMPORTANT]


def search_entries(
    session: Session,
    source_ids: Collection[int],
    filter_: EntryFilter,
    *,
    limit: int,
    offset: int,
    now: datetime,
    order: SearchOrder = SearchOrder.DATE,
) -> tuple[int, list[bytes]]:
    """Return how many entries of some sources are found, and the documents of a page of them.

    They are found by their whole text, for callers who may read it.
    """
    ids = set(source_ids)
    if filter_.shape.narrows_sources:
        ids.intersection_update(matching_sources(session, filter_).ids)
    search = EntrySearch(filter_, frozenset(), Scope.WHOLE, now, sorted(ids), order)
    page = search.page(session, "document", limit=limit, offset=offset)
    return page.total, [document for (document,) in page.rows]


def search_deadlines(session: Session, filter_: EntryFilter, *, now: datetime) -> list[int]:
    """Return the keys of the entries with deadlines that are found."""
    words = (index.DEADLINE,)
    search = EntrySearch(filter_, frozenset({LISTED}), Scope.PUBLIC, now, words=words)
    return search.hits(session, most=MOST_DEADLINES).keys


def _with_phrases(session: Session, query: Query, scope: Scope, keys: list[int]) -> list[int]:
    """Return the keys of those entries that have the phrases as well."""
    public = scope is Scope.PUBLIC
    documents = [Entry.public_document] if public else [Entry.document, Entry.public_document]
    rows = session.execute(select(Entry.id, *documents).where(Entry.id.in_(keys)))
    texts = {key: (public_text if public else searched_text)(*both) for key, *both in rows}
    return [key for key in keys if phrases_match(query, texts[key], scope)]


def _on_sqlite(entries: EntryList) -> AnySelect:
    """Return the query that asks FTS5 first, then each entry by its key."""
    words = table("entry_words", column("rowid", Integer))
    matching = literal_column("entry_words").op("MATCH")(bindparam("words", type_=String))
    query = select(Entry.id).join(words, words.c.rowid == Entry.id)
    query = query.where(matching, _IN_SPANS, *entries.conditions()).order_by(*NEWEST_FIRST)
    return query.limit(_MOST).with_hint(Entry, "NOT INDEXED", "sqlite")


def _on_postgresql(entries: EntryList) -> AnySelect:
    """Return the query that asks the GIN index first, then each entry by its key."""
    words = table("entry_words", column("entry_id", BigInteger), column("words"))
    matching = words.c.words.op("@@")(cast(bindparam("words", type_=String), TSQUERY))
    hits = select(words.c.entry_id).where(matching).cte("hits").prefix_with("MATERIALIZED")
    one = select(Entry.id, Entry.published_at, Entry.external_id, Entry.source_id)
    one = one.where(Entry.id == hits.c.entry_id, _IN_SPANS, *entries.conditions())
    found = one.offset(literal_column("0")).lateral()  # the planner would read all entries instead
    newest_first = (found.c[each].desc() for each in ("published_at", "external_id", "source_id"))
    query = select(found.c.id).select_from(hits).join(found, true())
    return query.order_by(*newest_first).limit(_MOST)


def _words(query: Query, signs: str, parts: str) -> str:
    """Return as a tsquery what the index has to have; wanted terms in texts with these ``parts``.

    It is not asked about negated phrases: that their words occur says too little.
    """
    wanted = [_all_of(term.indexed, parts) for term in query if not term.negated]
    unwanted = [_all_of(term.indexed, signs) for term in query if term.negated and not term.phrase]
    without = [f"!({'|'.join(f'({each})' for each in unwanted)})"] if unwanted else []
    return "&".join([*wanted, *without])


def _all_of(tokens: Sequence[str], signs: str) -> str:
    return "&".join(_one_of([sign + token for sign in signs]) for token in tokens)


def _one_of(words: Sequence[str]) -> str:
    quoted = (f"'{word[:-1]}':*" if word.endswith("*") else f"'{word}'" for word in words)
    return f"({'|'.join(quoted)})"


def _in_fts5(words: str) -> str:
    """Return a tsquery as FTS5 says it; no word has any of its signs."""
    for ours, theirs in (("':*", '"*'), ("'", '"'), ("&!", " NOT "), ("&", " AND "), ("|", " OR ")):
        words = words.replace(ours, theirs)
    return words
