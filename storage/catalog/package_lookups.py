"""Packages whose repository the package index is asked for, and its answers (decision 0139)."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from package_versions.package_index import IndexName, SeenRepository
from storage.engine.statements import batches, insert_into, rows_among
from storage.engine.types import AnySelect
from storage.models import PackageLookup, StackPart

VALID_FOR: Final = timedelta(days=7)
UNWANTED_AFTER: Final = timedelta(days=30)
PAUSES: Final = (timedelta(minutes=1), timedelta(hours=1), timedelta(days=1))
"""How long to wait after each failure; after one more there is no answer until it is old."""
NO_ANSWER: Final = "The package index did not respond."
_BATCH: Final = 100


class Lookup(NamedTuple):
    """What is known of a package: ``seen_in`` says where, or why there is no repository."""

    purl: str
    wanted_at: datetime
    answered_at: datetime | None
    repository: str | None
    is_certain: bool
    seen_in: str


def lookups_of(session: Session, purls: Iterable[str]) -> dict[str, Lookup]:
    """Return stored lookups by package URL."""
    query: AnySelect = select(*(getattr(PackageLookup, name) for name in Lookup._fields))
    rows = rows_among(session, query, PackageLookup.purl, purls)
    return {row.purl: Lookup(*row) for row in rows}


def want_lookups(session: Session, names: Iterable[tuple[str, IndexName]], now: datetime) -> None:
    """Store that these packages are wanted: new ones are due, and those whose answer is old."""
    for batch in batches(sorted(names), _BATCH):
        rows = [
            {
                "purl": purl,
                "system": name.system,
                "name": name.name,
                "wanted_at": now,
                "due_at": now,
                "failures": 0,
                "is_certain": False,
                "seen_in": "",
            }
            for purl, name in batch
        ]
        statement = insert_into(session, PackageLookup).values(rows)
        wanted = {"wanted_at": statement.excluded.wanted_at}
        session.execute(statement.on_conflict_do_update(index_elements=["purl"], set_=wanted))
    old = PackageLookup.answered_at < now - VALID_FOR
    session.execute(update(PackageLookup).where(old).values(due_at=now, answered_at=None))


def due_lookups(session: Session, *, now: datetime, most: int) -> list[tuple[str, IndexName]]:
    """Return packages to ask for, in turn the longest due and the newest: few pass a large file."""
    at = PackageLookup.due_at
    query = select(PackageLookup.purl, PackageLookup.system, PackageLookup.name).where(at <= now)
    oldest, newest = (session.execute(query.order_by(way).limit(most)) for way in (at, at.desc()))
    mixed = dict.fromkeys(row for pair in zip(oldest, newest, strict=False) for row in pair)
    return [(purl, IndexName(system, name)) for purl, system, name in mixed][:most]


def save_answer(session: Session, purl: str, seen: SeenRepository | str, *, now: datetime) -> None:
    """Store the index's answer for a package, or why it has no repository."""
    found = SeenRepository(None, False, seen) if isinstance(seen, str) else seen
    values = {"repository": found.purl, "is_certain": found.is_certain, "seen_in": found.seen_in}
    session.execute(
        update(PackageLookup)
        .where(PackageLookup.purl == purl)
        .values(**values, answered_at=now, due_at=None, failures=0)
    )


def save_failure(session: Session, purl: str, reason: str, *, now: datetime) -> None:
    """Store that the index could not be asked for a package; it is asked again, some times."""
    row = session.get(PackageLookup, purl)
    if row is None:
        return
    row.failures += 1
    if row.failures > len(PAUSES):
        row.due_at, row.answered_at, row.failures = None, now, 0
        row.seen_in = row.seen_in if row.repository else NO_ANSWER
    else:
        row.due_at, row.seen_in = now + PAUSES[row.failures - 1], row.seen_in or reason


def drop_unwanted(session: Session, *, now: datetime) -> None:
    """Forget packages that nobody has wanted for 30 days."""
    unwanted = PackageLookup.wanted_at < now - UNWANTED_AFTER
    in_stacks = PackageLookup.purl.in_(select(StackPart.purl))
    session.execute(delete(PackageLookup).where(unwanted, ~in_stacks))
