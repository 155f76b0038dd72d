"""One entry with its source, what it said before, and its neighbours in the source."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from storage.engine.types import AnySelect
from storage.entries.addresses import entry_path
from storage.models import Entry, EntryRevision, Source

_NEWEST_FIRST: Final = (Entry.published_at.desc(), Entry.external_id.desc())
_ENTRY: Final[AnySelect] = select(
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
    Entry.address,
).join(Source, Source.id == Entry.source_id)


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
    address: str

    @property
    def path(self) -> str:
        """Return the path of its page."""
        return entry_path(self.source, self.address)


class Neighbour(NamedTuple):
    """An entry of the same source that comes next to another."""

    address: str
    public: bytes
    published_at: datetime


def find_entry(
    session: Session, source: str, address: str | None = None, *, external_id: str | None = None
) -> SingleEntry | None:
    """Return an entry of a source by its address, or by the vendor's id."""
    meant = Entry.external_id == external_id if address is None else Entry.address == address
    row = session.execute(_ENTRY.where(Source.slug == source, meant).limit(1)).first()
    return None if row is None else SingleEntry(*row)


def former_texts(session: Session, key: int, *, most: int) -> list[tuple[datetime, bytes]]:
    """Return when each of the last edits was made and what the entry said before, newest first."""
    query = select(EntryRevision.replaced_at, EntryRevision.document)
    query = query.where(EntryRevision.entry_id == key).order_by(EntryRevision.revision.desc())
    return [(at, document) for at, document in session.execute(query.limit(most))]


def neighbours(
    session: Session, entry: SingleEntry, *, until: datetime, since: datetime | None = None
) -> tuple[Neighbour | None, Neighbour | None]:
    """Return the listed entries of the source before and after, published since and until then."""
    place: Any = tuple_(Entry.published_at, Entry.external_id)
    here = (entry.published_at, entry.external_id)
    query = select(Entry.address, Entry.public_document, Entry.published_at)
    query = query.where(Entry.source_id == entry.source_id, Entry.listed).limit(1)
    older = session.execute(query.where(place < here).order_by(*_NEWEST_FIRST)).first()
    by_time = (Entry.published_at, Entry.external_id)
    newer = session.execute(query.where(place > here).order_by(*by_time)).first()
    is_old = older is not None and (since is None or older.published_at >= since)
    is_new = newer is not None and newer.published_at <= until
    return (
        Neighbour(*older) if older is not None and is_old else None,
        Neighbour(*newer) if newer is not None and is_new else None,
    )


def nth_newest(session: Session, source_id: int, number: int) -> datetime | None:
    """Return when the nth of the newest listed entries was published; None if there are fewer."""
    query = select(Entry.published_at).where(Entry.source_id == source_id, Entry.listed)
    return session.scalar(query.order_by(*_NEWEST_FIRST).limit(1).offset(number - 1))
