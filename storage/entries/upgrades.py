"""Stored releases of sources: for upgrade plans, and to write them."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final, TypeAlias

import orjson
from sqlalchemy import LargeBinary, literal, select, type_coerce
from sqlalchemy.orm import Session

from openapi.shapes import RemarkEntry
from openapi.vocabulary import Category, UpgradeReason
from package_versions.upgrades import KnownRelease, Remark, UpgradePlan
from storage.engine.statements import rows_among
from storage.engine.types import AnySelect
from storage.entries.documents import bits_of
from storage.entries.entry_filter import contains_bytes
from storage.models import Entry, Gap, Source

_BREAKING: Final = bits_of({Category.BREAKING})
_NO_SUMMARY: Final = b'"summary":null'  # in a title the quotation marks would be escaped
_CVES: Final = b'"cves":['


OpenGap: TypeAlias = tuple[int, datetime, datetime]
"""A source, and from when until when entries of it may be missing."""


def known_releases(session: Session, source_ids: Collection[int]) -> list[KnownRelease]:
    """Return the entries of sources, as far as a plan depends on them. An index has all of it."""
    query: AnySelect = select(
        Entry.id,
        Entry.version,
        Entry.package,
        Entry.prerelease,
        Entry.published_at,
        Entry.categories,
    )
    return [
        KnownRelease._make([*columns, bool(categories & _BREAKING)])
        for *columns, categories in rows_among(session, query, Entry.source_id, source_ids)
    ]


def upgrade_documents(
    session: Session, keys: Iterable[int]
) -> Mapping[int, tuple[bytes, bytes | None]]:
    """Return the PublicEntry of entries and their Importance, by key."""
    query = select(Entry.id, Entry.public_document, Entry.importance)
    return {
        key: (public, importance)
        for key, public, importance in rows_among(session, query, Entry.id, keys)
    }


def without_notes(session: Session, keys: Iterable[int]) -> set[int]:
    """Return those of some entries that have no text."""
    empty = contains_bytes(
        type_coerce(Entry.public_document, LargeBinary), literal(_NO_SUMMARY, LargeBinary)
    )
    return {key for (key,) in rows_among(session, select(Entry.id).where(empty), Entry.id, keys)}


def cves_of(session: Session, keys: Iterable[int]) -> dict[int, list[str]]:
    """Return the identifiers of holes that entries name, by key of the entry."""
    named = contains_bytes(
        type_coerce(Entry.public_document, LargeBinary), literal(_CVES, LargeBinary)
    )
    query = select(Entry.id, Entry.public_document).where(named)
    rows = rows_among(session, query, Entry.id, keys)
    return {key: orjson.loads(public).get("cves", []) for key, public in rows}


def remarked_entries(session: Session, keys: Iterable[int]) -> dict[int, RemarkEntry]:
    """Return what remarks tell of entries, by key."""
    query: AnySelect = select(
        Entry.id, Entry.external_id, Source.slug, Entry.title, Entry.version
    ).join(Source, Source.id == Entry.source_id)
    return {
        key: {"id": id_, "source": source, "title": title, "version": version}
        for key, id_, source, title, version in rows_among(session, query, Entry.id, keys)
    }


def open_gaps(session: Session, source_ids: Collection[int]) -> list[OpenGap]:
    """Return from when entries of sources may be missing."""
    query = (
        select(Gap.source_id, Gap.after_at, Gap.before_at)
        .where(Gap.closed_at.is_(None))
        .order_by(Gap.source_id, Gap.after_at, Gap.before_at)
    )
    return [tuple(row) for row in rows_among(session, query, Gap.source_id, source_ids)]


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
