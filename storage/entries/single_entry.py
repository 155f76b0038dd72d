"""One entry with its source, what it said before, and its neighbours in the source."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import BigInteger, bindparam, select, tuple_
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery
from storage.models import Entry, EntryRevision, Source


@dataclass(frozen=True, slots=True)
class SingleEntry:
    """An entry: ``document`` is its ChangelogEntry, ``public`` its PublicEntry."""

    key: int
    source_id: int
    external_id: str
    document: bytes
    public: bytes
    importance: bytes | None
    published_at: datetime
    first_seen_at: datetime
    changed_at: datetime
    revision: int
    source: str
    source_name: str
    vendor: str
    changelog_url: str


class FormerText(NamedTuple):
    """What an entry said until ``replaced_at``."""

    replaced_at: datetime
    document: bytes


class Neighbour(NamedTuple):
    """An entry of the same source that comes next to another."""

    external_id: str
    public: bytes
    published_at: datetime


def find_entry(session: Session, source: str, external_id: str) -> SingleEntry | None:
    """Return an entry of a source by the vendor's id, or None."""
    rows = _ENTRY.rows(session, {"slug": source, "external_id": external_id})
    return SingleEntry(*rows[0]) if rows else None


def former_texts(session: Session, key: int, *, most: int) -> list[FormerText]:
    """Return what an entry said before each of its last edits, the newest first."""
    return [FormerText(*row) for row in _FORMER.rows(session, {"key": key, "most": most})]


def neighbours(
    session: Session, entry: SingleEntry, *, until: datetime, since: datetime | None = None
) -> tuple[Neighbour | None, Neighbour | None]:
    """Return the listed entries of the source before and after, published since and until then."""
    values = {
        "source_id": entry.source_id,
        "published_at": entry.published_at,
        "external_id": entry.external_id,
    }
    older, newer = (
        [Neighbour(*row) for row in query.rows(session, values)] for query in (_OLDER, _NEWER)
    )
    before = next((one for one in older if since is None or one.published_at >= since), None)
    after = next((one for one in newer if one.published_at <= until), None)
    return before, after


def nth_newest(session: Session, source_id: int, number: int) -> datetime | None:
    """Return when the nth of the newest listed entries was published; None if there are fewer."""
    value: datetime | None = _NTH.value(session, {"source_id": source_id, "before_it": number - 1})
    return value


_ENTRY: Final = PreparedQuery(
    select(
        Entry.id,
        Entry.source_id,
        Entry.external_id,
        Entry.document,
        Entry.public_document,
        Entry.importance,
        Entry.published_at,
        Entry.first_seen_at,
        Entry.changed_at,
        Entry.revision,
        Source.slug,
        Source.name,
        Source.vendor,
        Source.changelog_url,
    )
    .join(Source, Source.id == Entry.source_id)
    .where(Source.slug == bindparam("slug"), Entry.external_id == bindparam("external_id"))
)
_FORMER: Final = PreparedQuery(
    select(EntryRevision.replaced_at, EntryRevision.document)
    .where(EntryRevision.entry_id == bindparam("key", type_=BigInteger))
    .order_by(EntryRevision.revision.desc())
    .limit(bindparam("most", type_=BigInteger))
)
_PLACE: Final[Any] = tuple_(Entry.published_at, Entry.external_id)
_HERE: Final[Any] = tuple_(
    bindparam("published_at", type_=Entry.published_at.type),
    bindparam("external_id", type_=Entry.external_id.type),
)
_OF_SOURCE: Final = (
    Entry.source_id == bindparam("source_id", type_=BigInteger),
    Entry.listed,
)
_NEXT: Final = select(Entry.external_id, Entry.public_document, Entry.published_at)
_OLDER: Final = PreparedQuery(
    _NEXT.where(*_OF_SOURCE, _PLACE < _HERE)
    .order_by(Entry.published_at.desc(), Entry.external_id.desc())
    .limit(1)
)
_NEWER: Final = PreparedQuery(
    _NEXT.where(*_OF_SOURCE, _PLACE > _HERE)
    .order_by(Entry.published_at, Entry.external_id)
    .limit(1)
)
_NTH: Final = PreparedQuery(
    select(Entry.published_at)
    .where(*_OF_SOURCE)
    .order_by(Entry.published_at.desc(), Entry.external_id.desc())
    .limit(1)
    .offset(bindparam("before_it", type_=BigInteger))
)
