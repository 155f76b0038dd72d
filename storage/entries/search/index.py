"""The index of the words of entries: FTS5 on SQLite, GIN on PostgreSQL, the same words in both.

An entry is a list of words, each with a sign before it that says what it is of: ``t`` of the title,
``p`` of what else everybody is served, ``r`` of the rest of its text; each token once, where it
matters most. Words with other signs say what a search can be narrowed by without a look at the
entry: ``i`` important, ``e`` with a deadline, ``s12`` its source, and the day of its
publication in four sizes, by which a search goes back in time (docs/decisions/0111).
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Integer, TextClause, bindparam, exists, select, text, update
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, PreparedWrite, batches
from storage.entries.search.matching import Scope, SearchedText, searched_text
from storage.models import Entry, EntryDeadline

DEADLINE: Final = "e"
IMPORTANT: Final = "i"
SIGNS: Final = {Scope.PUBLIC: "tp", Scope.WHOLE: "tpr"}
LAST_DAY: Final = 0xFFFF  # in the year 2149; what lies beyond counts as that day
_SIZES: Final = (("d", 0), ("m", 4), ("y", 8), ("z", 12))
"""Spans of 1, 16, 256 and 4,096 days, by their signs; a word holds the number of the span."""

_AT_ONCE: Final = 200


def index_entries(session: Session, words: Mapping[int, Sequence[str]]) -> None:
    """Write the words of stored entries into the index; they replace older ones.

    ``words``: those of their texts (``words_of_documents``), by their keys.
    """
    for batch in batches(words, _AT_ONCE):
        rows = session.execute(_MARKS_OF, {"keys": batch})
        _WRITE.run(session, [{"id": row.id, "words": _words(words[row.id], row)} for row in rows])


def words_of_entries(session: Session, keys: Sequence[int]) -> list[tuple[int, str]]:
    """Return the keys of stored entries with the words that the index has of each."""
    rows = session.execute(_MARKS_AND_DOCUMENTS_OF, {"keys": keys})
    return [
        (row.id, _words(words_of_documents(row.document, row.public_document), row)) for row in rows
    ]


def words_of_documents(document: bytes, public: bytes) -> list[str]:
    """Return the words of the texts of a ChangelogEntry and its PublicEntry."""
    return signed_words(searched_text(document, public))


def index_missing(session: Session, *, most: int) -> int:
    """Index some entries that are not in it as they are now; return how many there were.

    An older version of this program stored or edited them.
    """
    keys = sorted(missing_keys(session, most=most))
    session.execute(select(Entry.id).where(Entry.id.in_(keys)).order_by(Entry.id).with_for_update())
    for batch in batches(keys, _AT_ONCE):
        words = [{"id": key, "words": text_} for key, text_ in words_of_entries(session, batch)]
        _WRITE.run(session, words)
    _MARK.run(session, [{"key": key} for key in keys])
    return len(keys)


def missing_keys(session: Session, *, most: int) -> list[int]:
    """Return the keys of some entries that are not in the index as they are now."""
    return _MISSING.values(session, {"most": most})


def first_missing(session: Session) -> int:
    """Return the key of the first entry that waits to be indexed, 0 without any.

    While there is one, results of searches may grow without a change of entries.
    """
    return next(iter(missing_keys(session, most=1)), 0)


def keys_of(session: Session, source_id: int, external_ids: Collection[str]) -> dict[str, int]:
    """Return the keys of entries of a source by their ids."""
    keys: dict[str, int] = {}
    for batch in batches(external_ids, _AT_ONCE):
        rows = session.execute(_KEYS, {"source": source_id, "external_ids": batch})
        keys |= {row.external_id: row.id for row in rows}
    return keys


def _words(of_texts: Sequence[str], row: Any) -> str:
    day = day_number(row.published_at)
    words = [*of_texts, *(f"{sign}{day >> bits}" for sign, bits in _SIZES)]
    words.append(source_word(row.source_id))
    if row.important:
        words.append(IMPORTANT)
    if row.has_deadline:
        words.append(DEADLINE)
    return " ".join(words)


def signed_words(text_: SearchedText) -> list[str]:
    """Return the tokens of an entry, each with the sign of what it is of."""
    title, shown = text_.title_tokens, text_.shown_tokens
    words = [f"t{token}" for token in title]
    words += [f"p{token}" for token in shown if token not in title]
    words += [
        f"r{token}" for token in text_.whole_tokens if token not in title and token not in shown
    ]
    return words


def source_word(source_id: int) -> str:
    """Return the word that the entries of a source have."""
    return f"s{source_id}"


def day_number(moment: datetime) -> int:
    """Return the number of the day of a moment, from 0 in 1970 to LAST_DAY."""
    return min(max(int(moment.astimezone(UTC).timestamp()) // 86_400, 0), LAST_DAY)


def words_of_days(first: int, last: int) -> list[str]:
    """Return the fewest words that the entries of these days have one of, both included."""
    words: list[str] = []
    while first <= last:
        sign, bits = next(
            (sign, bits)
            for sign, bits in reversed(_SIZES)
            if first % (1 << bits) == 0 and first + (1 << bits) - 1 <= last
        )
        words.append(f"{sign}{first >> bits}")
        first += 1 << bits
    return words


def _write(dialect: str) -> TextClause:
    if dialect == "sqlite":
        return text("INSERT OR REPLACE INTO entry_words (rowid, words) VALUES (:id, :words)")
    return text(
        "INSERT INTO entry_words (entry_id, words) VALUES (:id, :words)"
        " ON CONFLICT (entry_id) DO UPDATE SET words = excluded.words"
    )


_WRITE: Final = PreparedWrite(_write)
_MARK: Final = PreparedWrite(
    lambda _: (
        update(Entry).where(Entry.id == bindparam("key")).values(indexed_revision=Entry.revision)
    )
)
_MISSING: Final = PreparedQuery(
    select(Entry.id)
    .where(Entry.indexed_revision != Entry.revision)
    .order_by(Entry.id)
    .limit(bindparam("most", type_=Integer))
)
_KEYS: Final = select(Entry.id, Entry.external_id).where(
    Entry.source_id == bindparam("source"),
    Entry.external_id.in_(bindparam("external_ids", expanding=True)),
)
_MARKS_OF: Final = select(
    Entry.id,
    Entry.source_id,
    Entry.published_at,
    Entry.important,
    exists().where(EntryDeadline.entry_id == Entry.id).label("has_deadline"),
).where(Entry.id.in_(bindparam("keys", expanding=True)))
_MARKS_AND_DOCUMENTS_OF: Final = _MARKS_OF.add_columns(Entry.document, Entry.public_document)
