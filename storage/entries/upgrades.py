"""Stored releases of sources: for upgrade plans, and to write them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any, Final, TypeAlias

import orjson
from sqlalchemy import Integer, Text, bindparam, cast, func, literal_column, select
from sqlalchemy.orm import Session

from openapi.shapes import RemarkEntry
from openapi.vocabulary import Category, UpgradeReason
from package_versions.upgrades import MOST_COMPARED, KnownRelease, Remark, UpgradePlan
from storage.engine.statements import PreparedQuery, rows_among
from storage.engine.types import AnySelect
from storage.entries.documents import bits_of
from storage.entries.entry_filter import contains_bytes
from storage.models import Entry, Gap, Source

_BREAKING: Final = bits_of({Category.BREAKING})
_SOURCES_KEPT: Final = 8
_STOP: Final[Any] = literal_column("'\x1f'")  # ingestion removes control characters
_PRERELEASE: Final = (False, True, None)
_DOCUMENTS: Final[AnySelect] = select(Entry.id, Entry.public_document, Entry.importance)
_WITHOUT_NOTES, _WITH_CVES = (  # word for word as indexes say it; a title's marks are escaped
    select(Entry.id).where(contains_bytes(Entry.public_document, literal_column(f"'{mark}'")))
    for mark in ('"summary":null', '"cves":[')
)
_GAPS: Final[AnySelect] = (
    select(Gap.source_id, Gap.after_at, Gap.before_at)
    .where(Gap.closed_at.is_(None))
    .order_by(Gap.source_id, Gap.after_at, Gap.before_at)
)
_REMARKED: Final[AnySelect] = select(
    Entry.id, Entry.external_id, Source.slug, Entry.title, Entry.version
).join(Source, Source.id == Entry.source_id)

OpenGap: TypeAlias = tuple[int, datetime, datetime]
"""A source, and from when until when entries of it may be missing."""


_NEWEST: Final = (
    select(
        *(Entry.id, Entry.version, Entry.package, Entry.published_at),
        func.coalesce(cast(Entry.prerelease, Integer), 2) * 2
        + Entry.categories.bitwise_and(_BREAKING),
    )
    .where(Entry.source_id == bindparam("source_id"))
    .order_by(Entry.published_at.desc())
    .limit(MOST_COMPARED + 1)
    .subquery()
)
_RELEASES: Final = PreparedQuery(  # a text for each column is read faster than rows
    select(*(func.aggregate_strings(func.coalesce(cast(it, Text), ""), _STOP) for it in _NEWEST.c))
)


def known_releases(session: Session, source_ids: Iterable[int]) -> tuple[KnownRelease, ...]:
    """Return the newest entries of sources, as far as a plan depends on them, from an index."""
    rows = (_RELEASES.rows(session, {"source_id": source_id})[0] for source_id in source_ids)
    return tuple(chain.from_iterable(_releases(*row) for row in rows if row[0]))


@lru_cache(maxsize=_SOURCES_KEPT)
def _releases(*columns: str) -> list[KnownRelease]:
    """Return the releases with these columns, which are parsed again only if they differ."""
    rows = zip(*(column.split("\x1f") for column in columns), strict=True)
    return [
        KnownRelease(
            *(int(key), version or None, package or None, _PRERELEASE[int(marks) // 2]),
            *(datetime.fromisoformat(published_at).replace(tzinfo=UTC), int(marks) % 2 > 0),
        )
        for key, version, package, published_at, marks in rows
    ]


def upgrade_documents(
    session: Session, keys: Iterable[int]
) -> Mapping[int, tuple[bytes, bytes | None]]:
    """Return the PublicEntry of entries and their Importance, by key."""
    rows = rows_among(session, _DOCUMENTS, Entry.id, keys)
    return {key: (public, importance) for key, public, importance in rows}


def without_notes(session: Session, source_ids: Collection[int]) -> set[int]:
    """Return the entries of sources that have no text."""
    rows = rows_among(session, _WITHOUT_NOTES, Entry.source_id, source_ids)
    return {key for (key,) in rows}


def cves_of(
    session: Session, source_ids: Collection[int], keys: Iterable[int]
) -> dict[int, list[str]]:
    """Return the identifiers of holes that some entries of sources name, by key of the entry."""
    rows = rows_among(session, _WITH_CVES, Entry.source_id, source_ids)
    named = {key for (key,) in rows}
    rows = rows_among(session, _DOCUMENTS, Entry.id, named.intersection(keys if named else ()))
    return {key: orjson.loads(public).get("cves", []) for key, public, _ in rows}


def remarked_entries(session: Session, keys: Iterable[int]) -> dict[int, RemarkEntry]:
    """Return the entries of remarks by key."""
    return {
        key: {"id": id_, "source": source, "title": title, "version": version}
        for key, id_, source, title, version in rows_among(session, _REMARKED, Entry.id, keys)
    }


def open_gaps(session: Session, source_ids: Collection[int]) -> list[OpenGap]:
    """Return from when entries of sources may be missing."""
    return [tuple(row) for row in rows_among(session, _GAPS, Gap.source_id, source_ids)]


def missing_entries(plan: UpgradePlan, gaps: Iterable[OpenGap]) -> Iterator[Remark]:
    """Yield a remark if entries may be missing from the time of a range."""
    if plan.span is None:
        return
    first, last = plan.span
    inside = [
        (after, before)
        for _, after, before in gaps
        if before >= first and (last is None or after <= last)
    ]
    if inside:
        begin, end = min(after for after, _ in inside), max(before for _, before in inside)
        days = f"{begin:%Y-%m-%d} and {end:%Y-%m-%d}"
        yield Remark(UpgradeReason.MISSING_ENTRIES, f"Entries between {days} may have been missed.")
