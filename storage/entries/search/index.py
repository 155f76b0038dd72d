"""The index of the words of entries: FTS5 on SQLite, GIN on PostgreSQL, the same words in both.

Each word has a sign before it: ``t`` of the title, ``p`` of what else everybody is served, ``r`` of
the rest of the text; each token once, where it matters most. Other words say what a search can be
narrowed by: ``i`` important entries, ``e`` those with a deadline, ``s12`` those of a source,
``m1295`` those published within certain 16 days, by which a search goes back in time, ``f`` those
that were dated farther ahead when they were stored, ``z5`` those of certain eleven years.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import exists, select, text
from sqlalchemy.orm import Session

from storage.engine.statements import is_sqlite, rows_among
from storage.entries.excerpts import END
from storage.entries.search.matching import Scope
from storage.entries.search.words import NEIGHBOURS, found_in, whole_texts
from storage.models import Entry, EntryDeadline

AHEAD: Final = "f"
DEADLINE: Final = "e"
IMPORTANT: Final = "i"
SIGNS: Final = {Scope.PUBLIC: "tp", Scope.WHOLE: "tpr"}
EVERY: Final = tuple(f"z{number}" for number in range(16))  # the words of which every entry has one
_AT_ONCE: Final = 1_000
SPAN: Final = timedelta(days=16)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_WRITE_ON_SQLITE: Final = text(
    "INSERT OR REPLACE INTO entry_words (rowid, words) VALUES (:id, :words)"
)
_WRITE_ON_POSTGRESQL: Final = text(
    "INSERT INTO entry_words (entry_id, words)"
    " VALUES (:id, array_to_tsvector(string_to_array(:words, ' ')))"
    " ON CONFLICT (entry_id) DO UPDATE SET words = excluded.words"
)
_MARKS: Final = select(
    Entry.id,
    Entry.source_id,
    Entry.published_at,
    Entry.changed_at,
    Entry.important,
    exists().where(EntryDeadline.entry_id == Entry.id).label("has_deadline"),
)


def index_entries(session: Session, words: Mapping[int, Sequence[str]]) -> None:
    """Write the words of stored entries (``words_of_documents``), by their keys, into the index."""
    write = _WRITE_ON_SQLITE if is_sqlite(session) else _WRITE_ON_POSTGRESQL
    rows = []
    for row in rows_among(session, _MARKS, Entry.id, words):
        span = span_of(row.published_at)
        years = min(max(span, 0) >> 8, len(EVERY) - 1)
        of_entry = [*words[row.id], source_word(row.source_id), f"m{span}", EVERY[years]]
        is_ahead = row.published_at - row.changed_at > SPAN
        marks = {IMPORTANT: row.important, DEADLINE: row.has_deadline, AHEAD: is_ahead}
        of_entry += [mark for mark, applies in marks.items() if applies]
        rows.append({"id": row.id, "words": " ".join(of_entry)})
    if rows:
        session.execute(write, rows)


def index_all(session: Session) -> None:
    """Index all stored entries."""
    query = select(Entry.id, Entry.document, Entry.public_document).order_by(Entry.id)
    rows = session.execute(query, execution_options={"yield_per": _AT_ONCE})
    for batch in rows.partitions():
        index_entries(session, {id_: words_of_documents(*both) for id_, *both in batch})


def words_of_documents(document: bytes, public: bytes) -> list[str]:
    """Return the words of the texts of a ChangelogEntry and its PublicEntry."""
    return words_of_texts(*whole_texts(document, public))


def words_of_texts(title: str, *texts: str) -> list[str]:
    """Return the words of the texts of an entry, in the order of ``whole_texts``."""
    *others, whole = texts
    # What begins both is read once, and of it the last two words again, of which one may be cut.
    shown = others[-1].partition(END)[0].rstrip()
    cut = whole.rfind(" ", 0, whole.startswith(shown) and max(whole.rfind(" ", 0, len(shown)), 0))
    signs, numbers = dict[str, str](), dict[int, str]()
    for sign, some in ("r", (whole[max(cut, 0) :],)), ("p", others), ("t", (title,)):
        found = found_in(some)
        signs |= dict.fromkeys(found[0], sign)
        numbers |= dict.fromkeys(found[1], sign)
    pairs = [NEIGHBOURS % (sign, number) for number, sign in numbers.items()]
    return [sign + token for token, sign in signs.items()] + pairs


def source_word(source_id: int) -> str:
    """Return the word that the entries of a source have."""
    return f"s{source_id}"


def span_of(moment: datetime) -> int:
    """Return the number of the 16-day span of a time."""
    return (moment - EPOCH) // SPAN


def words_of_spans(first: int, last: int) -> list[str]:
    """Return the words of which entries that were published in these spans or later have one."""
    return [AHEAD, *(f"m{span}" for span in range(first, last + 2))]
