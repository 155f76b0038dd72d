"""Snapshots of what sources published, and the changes between them (specification 4.4)."""

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime

import orjson
from sqlalchemy import LargeBinary, Select, delete, exists, func, insert, select
from sqlalchemy.orm import Session

from storage.engine.statements import insert_into
from storage.engine.types import AnySelect
from storage.entries.documents import DocumentPage
from storage.models import Diff, Snapshot, SnapshotBody

NEWEST = 20
HEAD_BYTES = 2048  # more than a diff's JSON has in front of its changes
_SNAPSHOT_OF = re.compile(r"diff_\d{1,18}_(\d{1,18})")
_HEAD = func.substr(Diff.document, 1, HEAD_BYTES, type_=LargeBinary)


@dataclass(frozen=True, slots=True)
class SnapshotRecord:
    """A published state to be stored; equal hashes mean equal bodies."""

    content_hash: str
    body: bytes
    parser_version: str
    entry_count: int


@dataclass(frozen=True, slots=True)
class StoredSnapshot:
    """A stored snapshot with its compressed body."""

    key: int
    fetched_at: datetime
    content_hash: str
    body: bytes
    entry_count: int


def newest_diffs(session: Session, source_id: int) -> DocumentPage:
    """Return the newest 20 changes of a source."""
    return _page(session, source_id, select(Diff.document).limit(NEWEST))


def page_diff_heads(
    session: Session, source_id: int, *, limit: int, offset: int = 0
) -> DocumentPage:
    """Return the beginnings of some diffs of a source: the id, the two states, the counts.

    A whole diff may have a megabyte.
    """
    return _page(session, source_id, select(_HEAD).limit(limit).offset(offset))


def _page(session: Session, source_id: int, query: Select[bytes]) -> DocumentPage:
    of_source = Diff.source_id == source_id
    total = session.scalar(select(func.count()).select_from(Diff).where(of_source)) or 0
    page = query.where(of_source).order_by(Diff.id.desc())
    return DocumentPage(total, list(session.scalars(page)))


def find_diff(session: Session, source_id: int, public_id: str) -> Diff | None:
    """Return the diff of a source that has this id in its JSON object, or None.

    It was stored with its newer snapshot; where that is gone, all of the source's are looked at.
    """
    of_source = Diff.source_id == source_id
    named = _SNAPSHOT_OF.fullmatch(public_id)
    if named:
        taken = select(Snapshot.fetched_at).where(
            Snapshot.id == int(named[1]), Snapshot.source_id == source_id
        )
        query = select(Diff.id, _HEAD).where(of_source, Diff.fetched_at == taken.scalar_subquery())
        diff = _with_id(session, query, public_id)
        if diff is not None:
            return diff
    return _with_id(
        session, select(Diff.id, _HEAD).where(of_source).order_by(Diff.id.desc()), public_id
    )


def _with_id(session: Session, query: AnySelect, public_id: str) -> Diff | None:
    wanted = orjson.dumps(public_id)
    for key, head in session.execute(query):
        name, _, value = head.partition(b":")
        if name == b'{"id"' and value.lstrip().startswith(wanted):
            return session.get_one(Diff, key)
    return None


def diff_of_day(session: Session, source_id: int, *, until: datetime) -> bytes | None:
    """Return the beginning of the newest diff before a time, else of the oldest one, or None."""
    of_source = Diff.source_id == source_id
    newest = select(_HEAD).where(of_source, Diff.fetched_at < until).order_by(Diff.id.desc())
    oldest = select(_HEAD).where(of_source).order_by(Diff.id)
    return session.scalar(newest.limit(1)) or session.scalar(oldest.limit(1))


def diffs_beside(session: Session, diff: Diff, source_id: int) -> list[bytes | None]:
    """Return the beginnings of the previous and the next diff, or None."""
    of_source = Diff.source_id == source_id
    before = select(_HEAD).where(of_source, Diff.id < diff.id).order_by(Diff.id.desc())
    after = select(_HEAD).where(of_source, Diff.id > diff.id).order_by(Diff.id)
    return [session.scalar(before.limit(1)), session.scalar(after.limit(1))]


def last_snapshot(session: Session, source_id: int) -> StoredSnapshot | None:
    """Return the newest snapshot of a source, or None."""
    query: AnySelect = select(
        Snapshot.id,
        Snapshot.fetched_at,
        Snapshot.content_hash,
        SnapshotBody.body,
        Snapshot.entry_count,
    ).join(SnapshotBody, SnapshotBody.digest == Snapshot.content_hash)
    query = query.where(Snapshot.source_id == source_id).order_by(Snapshot.id.desc()).limit(1)
    row = session.execute(query).one_or_none()
    return None if row is None else StoredSnapshot(*row)


def add_snapshot(
    session: Session, source_id: int, snapshot: SnapshotRecord, *, now: datetime
) -> int:
    """Add a snapshot and return its key; its body is stored only if no equal one is.

    The update that changes nothing locks a body that is there, so that nobody deletes it now.
    """
    body = insert_into(session, SnapshotBody)
    unchanged = {"digest": body.excluded.digest}
    body = body.on_conflict_do_update(index_elements=[SnapshotBody.digest], set_=unchanged)
    connection = session.connection()  # a tenth of the session's time
    added = {"source_id": source_id, "fetched_at": now, **asdict(snapshot)}
    connection.execute(body, {"digest": snapshot.content_hash, "body": added.pop("body")})
    return connection.execute(insert(Snapshot).returning(Snapshot.id), added).scalar_one()


def add_diff(session: Session, source_id: int, *, document: bytes, now: datetime) -> None:
    """Add what changed up to the snapshot that was taken now."""
    session.add(Diff(source_id=source_id, fetched_at=now, document=document))


def snapshot_times(session: Session, source_id: int) -> list[tuple[int, datetime]]:
    """Return the keys of a source's snapshots with their times, newest first."""
    query: AnySelect = select(Snapshot.id, Snapshot.fetched_at).order_by(Snapshot.id.desc())
    return list(session.execute(query.where(Snapshot.source_id == source_id)))


def diff_times(session: Session, source_id: int) -> list[tuple[int, datetime]]:
    """Return the keys of a source's diffs with their times, newest first."""
    query: AnySelect = select(Diff.id, Diff.fetched_at).order_by(Diff.id.desc())
    return list(session.execute(query.where(Diff.source_id == source_id)))


def drop_snapshots(session: Session, keys: Collection[int]) -> None:
    """Delete snapshots, and bodies that none needs any more. Their diffs stay readable."""
    if not keys:
        return
    dropped = Snapshot.id.in_(keys)
    digests = set(session.scalars(select(Snapshot.content_hash).where(dropped)))
    session.execute(delete(Snapshot).where(dropped))
    bodies = select(SnapshotBody.digest).where(SnapshotBody.digest.in_(digests))
    session.execute(bodies.order_by(SnapshotBody.digest).with_for_update())
    needed = exists().where(Snapshot.content_hash == SnapshotBody.digest)
    session.execute(
        delete(SnapshotBody).where(SnapshotBody.digest.in_(digests), ~needed),
        execution_options={"synchronize_session": False},
    )


def drop_diffs(session: Session, keys: Collection[int]) -> None:
    """Delete diffs."""
    if not keys:
        return
    session.execute(delete(Diff).where(Diff.id.in_(keys)))
