"""Entries that a search finds within a list and its filter, newest or likeliest first.

The index is asked for the newest entries first, for ever longer spans of time until there are
enough: so a word that most entries have costs no more in a large database than in a small one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from math import ceil
from typing import Any, Final

from sqlalchemy import any_, cast, column, func, literal, literal_column, select, table
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.engine.statements import batches, is_among, is_sqlite
from storage.engine.types import AnySelect
from storage.entries.entry_filter import meant_sources
from storage.entries.entry_query import IMPORTANT, MOST_MERGED, NEWEST_FIRST, Conditions, EntryList
from storage.entries.search import index
from storage.entries.search.index import SIGNS, span_of
from storage.entries.search.matching import Scope, phrases_match
from storage.entries.search.query import Query, parse_query
from storage.entries.search.words import public_texts, whole_texts
from storage.models import Entry

MOST_HITS: Final = 1_000
"""Entries that a search finds at most: the first ones of its order.

Phrases are looked for in the texts of as many that the index finds.
"""
_MOST_SPANS: Final = 20  # of 16 days each; the index reads more of them slower than everything
_BEGINNING: Final = re.compile(r"'([^']+)':\*")
_SPELLED_OUT: Final = """
    WITH RECURSIVE found (word) AS (
        SELECT (SELECT term FROM entry_terms WHERE term >= ?1 LIMIT 1) UNION ALL
        SELECT (SELECT term FROM entry_terms WHERE term >= word || ' ' LIMIT 1) FROM found
        WHERE word < ?1 || char(1114111) LIMIT 100
    ) SELECT word FROM found WHERE word < ?1 || char(1114111)
"""
_READ_AT_ONCE: Final = 500
_OLDEST: Final = datetime(1, 2, 1, tzinfo=UTC)
_INDEXED: Final = table("entry_words", *map(column, ("rowid", "entry_id", "words")))


def find_entries(
    session: Session, entries: EntryList, *, most: int = MOST_HITS
) -> tuple[list[int], bool]:
    """Return the keys of the first entries of a list that are found, and whether that is all."""
    query = parse_query(entries.filter.q or "")
    ids = meant_sources(session, entries.filter, entries.source_ids)
    if not query or ids == [] or entries.filter.is_contradictory:
        return [], True
    has_phrases = any(term.phrase for term in query)
    limit = MOST_HITS if has_phrases else most
    found: list[int] = []
    read = 0
    for keys in batches(_with_words(session, entries, query, ids, limit), min(most, _READ_AT_ONCE)):
        read += len(keys)
        found += _with_phrases(session, query, entries.scope, keys) if has_phrases else keys
        if len(found) >= most or read >= limit:
            return found[:most], False
    return found, True


def has_words(session: Session, key: Any, mark: str, q: str, *, among: AnySelect) -> Any:
    """Return the condition that an entry, of which a column has the key, has a mark and words.

    Phrases are looked for in the texts of the entries that a query is ``among``.
    """
    query, signs = parse_query(q), SIGNS[Scope.PUBLIC]
    keys = _keys(session, _words(session, query, signs, signs, [[mark]]))
    if query and not any(term.phrase for term in query):
        return key.in_(keys)
    asked = among.where(key.in_(keys)).with_only_columns(key).order_by(None)
    some = batches(session.scalars(asked).all() if query else (), _READ_AT_ONCE)
    found = (_with_phrases(session, query, Scope.PUBLIC, keys) for keys in some)
    return is_among(session, key, chain.from_iterable(found))


def _with_words(
    session: Session, entries: EntryList, query: Query, ids: Sequence[int] | None, limit: int
) -> Iterator[int]:
    """Yield the keys of the entries that have all words, the first in order; each once."""
    seen: dict[int, None] = {}
    signs = SIGNS[entries.scope]
    for parts in ("t", signs) if entries.order is SearchOrder.RELEVANCE else (signs,):
        words = _words(session, query, signs, parts, _groups(entries, ids))
        for keys in _newest(session, entries, words, entries.conditions(ids), limit):
            yield from (key for key in keys if key not in seen)
            seen |= dict.fromkeys(keys)


def _spelled_out(session: Session, beginning: re.Match[str]) -> str:
    """Return the words that begin so: FTS5 reads those only as far as it has to."""
    found = session.connection().exec_driver_sql(_SPELLED_OUT, (beginning[1],)).scalars().all()
    return "|".join(f"'{word}'" for word in found) if 0 < len(found) < 100 else beginning[0]


def _newest(
    session: Session, entries: EntryList, words: str, conditions: Conditions, limit: int
) -> Iterator[Sequence[int]]:
    """Yield the newest entries of ever longer spans, each of which has those before it."""
    newest = span_of(min(entries.now, entries.filter.until or entries.now))
    oldest = span_of(entries.filter.since or _OLDEST)
    every = "" if words[:1] == "(" else _one_of(index.EVERY)  # it costs as much as another word
    is_likely = entries.is_ordered and "'p-" not in words and not is_sqlite(session)
    is_likely &= entries.order is SearchOrder.DATE  # that the newest have enough: phrases are few
    for most in (limit // 4, limit * 3) if is_likely else ():
        query = _among_newest(words, conditions, most)
        yield (keys := session.connection().scalars(query.limit(limit)).all())
        if len(keys) >= limit:
            return
        if len(keys) * 12 < limit:  # so few have the words that the index finds them sooner
            break
    spans = 1
    while True:
        first = oldest if spans > _MOST_SPANS else max(newest - spans, oldest)
        is_far = newest - first > _MOST_SPANS
        within = every if is_far else _one_of(index.words_of_spans(first, newest))
        in_spans = Entry.published_at >= index.EPOCH + first * index.SPAN
        asked = sorted(filter(None, (words, within)), key=lambda it: it[0] == "!")
        query = _found(session, "&".join(asked), [in_spans, *conditions])
        yield (keys := session.connection().scalars(query.limit(limit)).all())
        if first == oldest or len(keys) >= limit:
            return
        spans = ceil(spans * max(2, 1.5 * limit / (len(keys) or 1)))  # were they spread evenly


def _groups(entries: EntryList, ids: Sequence[int] | None) -> Iterator[Sequence[str]]:
    """Yield words of the index, of each group one, that narrow the search."""
    if ids is not None and len(ids) <= MOST_MERGED:
        yield [index.source_word(source_id) for source_id in ids]
    if entries.filter.category or IMPORTANT in entries.chosen:
        yield [index.IMPORTANT]


def _with_phrases(session: Session, query: Query, scope: Scope, keys: list[int]) -> list[int]:
    """Return the keys of those entries that have the phrases as well."""
    public = scope is Scope.PUBLIC
    documents = [Entry.public_document] if public else [Entry.document, Entry.public_document]
    with_keys = select(Entry.id, *documents).where(is_among(session, Entry.id, keys))
    rows = session.connection().execute(with_keys).all()
    texts = {key: (public_texts if public else whole_texts)(*both) for key, *both in rows}
    return [key for key in keys if phrases_match(query, texts[key])]


def _found(session: Session, words: str, conditions: Conditions) -> AnySelect:
    """Return the query that asks the index of words first, then each entry by its key."""
    keys, query = _keys(session, words), select(Entry.id).where(*conditions).order_by(*NEWEST_FIRST)
    if is_sqlite(session):
        query = query.with_hint(Entry, "NOT INDEXED", "sqlite")
        return query.join(found := keys.subquery(), found.c.rowid == Entry.id)
    hits = func.array(keys.scalar_subquery())  # joined, all entries would be read instead
    return query.where(Entry.id == any_(hits))


def _keys(session: Session, words: str) -> AnySelect:
    """Return the query of the keys that the index of words has: FTS5, or GIN."""
    if is_sqlite(session):
        matching = literal_column("entry_words").op("MATCH")(literal(_in_fts5(words)))
        return select(_INDEXED.c.rowid).where(matching)
    return select(_INDEXED.c.entry_id).where(_INDEXED.c.words.op("@@")(cast(words, TSQUERY)))


def _among_newest(words: str, conditions: Conditions, most: int) -> AnySelect:
    """Return the query that reads the words of the newest entries, not the index, on PostgreSQL."""
    first = select(*(each.element for each in NEWEST_FIRST), Entry.id).where(*conditions)
    *place, key = first.order_by(*NEWEST_FIRST).limit(most).subquery().c
    has_all = func.ts_match_vq(_INDEXED.c.words, cast(words, TSQUERY))
    hits = select(key).join(_INDEXED, _INDEXED.c.entry_id == key).where(has_all)
    return hits.order_by(*(each.desc() for each in place))


def _words(
    session: Session, query: Query, signs: str, parts: str, groups: Iterable[Sequence[str]]
) -> str:
    """Return as a tsquery what the index has to have; wanted terms in texts with these ``parts``.

    It is not asked about negated phrases: that their words occur says too little. Of each of the
    ``groups`` it has to have a word.
    """
    wanted = [_all_of(term.indexed, parts) for term in query if not term.negated]
    unwanted = [_all_of(term.indexed, signs) for term in query if term.negated and not term.phrase]
    without = [f"!({'|'.join(f'({each})' for each in unwanted)})"] if unwanted else []
    words = "&".join([*map(_one_of, groups), *wanted, *without])
    if is_sqlite(session):
        words = _BEGINNING.sub(lambda found: _spelled_out(session, found), words)
    return words


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
