"""What an account has read: a position, and marks that say otherwise."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import delete, func, not_, select, update
from sqlalchemy.orm import Session

from storage.engine.statements import batches
from storage.engine.upsert import insert_into
from storage.models import Entry, ReadingPosition, ReadMark
from storage.people.keys import lock_account

UNREAD_FOR: Final = timedelta(days=30)
"""What was published before that counts as read."""

MOST_MARKS: Final = 10_000
"""Marks of an account; beyond, the oldest entries count as read."""

_TICK: Final = timedelta(microseconds=1)
_DROPPED_AT_ONCE: Final = 1_000
_WRITTEN_AT_ONCE: Final = 500


class EntryKey(NamedTuple):
    """An entry's key, and when it was published."""

    id: int
    published_at: datetime


@dataclass(frozen=True, slots=True)
class ReadState:
    """How far an account has read. ``unread_after``: what was published by then is read."""

    account_id: int
    read_to: int
    unread_after: datetime

    def values(self) -> dict[str, Any]:
        """Return what the condition of unread entries takes."""
        return {
            "reader": self.account_id,
            "read_to": self.read_to,
            "unread_after": self.unread_after,
        }

    def is_unread(self, entry: EntryKey, mark: bool | None) -> bool:
        """Tell whether an entry is unread. ``mark``: what its mark says, None without one."""
        if entry.published_at <= self.unread_after:
            return False
        return entry.id > self.read_to if mark is None else mark


def read_state(session: Session, account_id: int, *, now: datetime) -> ReadState:
    """Return how far an account has read; nothing, before it has marked anything."""
    stored = session.get(ReadingPosition, account_id)
    oldest = now - UNREAD_FOR
    if stored is None:
        return ReadState(account_id, 0, oldest)
    after = stored.unread_after
    return ReadState(account_id, stored.read_to, oldest if after is None else max(after, oldest))


def newest_key(session: Session) -> int:
    """Return the key of the entry that was stored last; 0 without any."""
    return session.scalar(select(func.max(Entry.id))) or 0


def find_entry_key(session: Session, entry_id: int) -> EntryKey | None:
    """Return the entry of a key; None if there is none."""
    published_at = session.scalar(select(Entry.published_at).where(Entry.id == entry_id))
    return None if published_at is None else EntryKey(entry_id, published_at)


def read_marks(session: Session, account_id: int, entry_ids: Collection[int]) -> dict[int, bool]:
    """Return what marks say of entries: whether each that is marked is unread."""
    query = select(ReadMark.entry_id, ReadMark.unread).where(ReadMark.account_id == account_id)
    rows = session.execute(query.where(ReadMark.entry_id.in_(entry_ids)))
    return {row.entry_id: row.unread for row in rows}


def new_moment(session: Session, account_id: int, *, now: datetime) -> datetime:
    """Return the moment of an action, by which it is undone: no other one of the account has it."""
    lock_account(session, account_id)
    marked = select(func.max(ReadMark.marked_at)).where(ReadMark.account_id == account_id)
    moved = select(ReadingPosition.moved_at).where(ReadingPosition.account_id == account_id)
    taken = [at for at in (session.scalar(marked), session.scalar(moved)) if at is not None]
    return max([now, *(at + _TICK for at in taken)])


def mark_entries(
    session: Session,
    account_id: int,
    entries: Iterable[EntryKey],
    *,
    unread: bool,
    now: datetime,
) -> None:
    """Mark entries as read, or as unread. Too many marks drop the oldest."""
    lock_account(session, account_id)
    _write_marks(session, account_id, entries, unread=unread, marked_at=now)
    _drop_old(session, account_id, now=now)


def move_position(
    session: Session,
    account_id: int,
    read_to: int,
    *,
    ahead: Iterable[EntryKey] = (),
    now: datetime,
) -> None:
    """Mark everything as read that was stored up to a key; a position never goes back.

    ``ahead``: entries up to there that nobody is shown yet, which stay unread.
    """
    lock_account(session, account_id)
    position = _position(session, account_id)
    stood = position.read_to
    position.read_to, position.before_move, position.moved_at = max(stood, read_to), stood, now
    marks = ReadMark.account_id == account_id
    needless = delete(ReadMark).where(marks, ReadMark.entry_id <= stood, not_(ReadMark.unread))
    session.execute(needless)
    marked = update(ReadMark).where(marks, ReadMark.entry_id <= read_to, ReadMark.unread)
    session.execute(marked.values(unread=False, marked_at=now))
    _write_marks(session, account_id, ahead, unread=True, marked_at=None)
    _drop_old(session, account_id, now=now)


def hold_back_positions(session: Session) -> None:
    """Let no position stand above the newest entry: SQLite gives the keys of removed ones again."""
    newest = newest_key(session)
    for column in (ReadingPosition.read_to, ReadingPosition.before_move):
        session.execute(update(ReadingPosition).where(column > newest).values({column: newest}))


def undo_marks(session: Session, account_id: int, marked_at: datetime) -> bool:
    """Take back what was marked at a moment; return whether there was anything."""
    lock_account(session, account_id)
    marks = (ReadMark.account_id == account_id, ReadMark.marked_at == marked_at)
    turned = update(ReadMark).where(*marks)
    turned = turned.values(unread=not_(ReadMark.unread), marked_at=None)
    entry_ids = session.scalars(turned.returning(ReadMark.entry_id)).all()
    position = session.get(ReadingPosition, account_id)
    if position is None or position.moved_at != marked_at:
        return bool(entry_ids)
    position.read_to, position.moved_at = position.before_move, None
    session.flush()
    return True


def _position(session: Session, account_id: int) -> ReadingPosition:
    position = session.get(ReadingPosition, account_id)
    if position is None:
        position = ReadingPosition(account_id=account_id, read_to=0, before_move=0)
        session.add(position)
    return position


def _write_marks(
    session: Session,
    account_id: int,
    entries: Iterable[EntryKey],
    *,
    unread: bool,
    marked_at: datetime | None,
) -> None:
    said = {"unread": unread, "marked_at": marked_at}
    for batch in batches(entries, _WRITTEN_AT_ONCE):
        rows = [
            {"account_id": account_id, "entry_id": key, "published_at": published_at, **said}
            for key, published_at in batch
        ]
        written = insert_into(session, ReadMark).values(rows)
        session.execute(
            written.on_conflict_do_update(
                index_elements=[ReadMark.account_id, ReadMark.entry_id], set_=said
            )
        )


def _drop_old(session: Session, account_id: int, *, now: datetime) -> None:
    """Drop marks that say nothing any more, and the oldest if there are too many."""
    marks = ReadMark.account_id == account_id
    session.execute(delete(ReadMark).where(marks, ReadMark.published_at <= now - UNREAD_FOR))
    count = session.scalar(select(func.count()).where(marks)) or 0
    if count <= MOST_MARKS:
        return
    dropped = count - MOST_MARKS + _DROPPED_AT_ONCE
    oldest = select(ReadMark.published_at).where(marks).order_by(ReadMark.published_at)
    last = session.scalar(oldest.offset(dropped - 1).limit(1))
    position = _position(session, account_id)
    position.unread_after = last
    session.execute(delete(ReadMark).where(marks, ReadMark.published_at <= last))
    session.flush()
