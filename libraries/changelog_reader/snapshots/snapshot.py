"""A source's published state at one moment, normalised so that two moments can be compared."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from changelog_reader.adapters.base import Block, ParsedEntry
from changelog_reader.snapshots.normalise import (
    NORMALISATION_VERSION,
    normal_heading,
    normal_line,
    normal_text,
    normal_url,
)
from changelog_reader.vocabulary import Json


class SnapshotEntry(NamedTuple):
    """One entry as the vendor showed it.

    ``published_at`` is the vendor's own timestamp (RFC 3339, UTC, ``Z``) or None when the vendor
    gave none; what we stored for the entry earlier plays no part. ``labels`` are the vendor's
    categories, sorted. ``tag_name`` and ``prerelease`` are set for GitHub releases only.
    """

    id: str
    title: str
    url: str | None = None
    published_at: str | None = None
    summary: str | None = None
    labels: tuple[str, ...] = ()
    tag_name: str | None = None
    prerelease: bool | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All entries in the vendor's order with distinct ids, and a page's text under its headings.

    ``parser_version`` names what read the document: snapshots of two versions are never compared,
    for their differences are ours and not the vendor's.
    """

    entries: tuple[SnapshotEntry, ...]
    blocks: tuple[Block, ...]
    parser_version: str


def snapshot_of(
    entries: Iterable[tuple[str, ParsedEntry]], *, parser_version: str, blocks: Iterable[Block] = ()
) -> Snapshot:
    """Return the normalised state of a parsed document whose entries have their ids.

    Of two entries with one id the first is kept. Blocks without text are left out.
    """
    distinct: dict[str, SnapshotEntry] = {}
    for id_, entry in entries:
        if id_ not in distinct:
            distinct[id_] = _as_snapshot_entry(id_, entry)
    return Snapshot(
        entries=tuple(distinct.values()),
        blocks=tuple(block for block in map(_normal_block, blocks) if block.text),
        parser_version=f"{parser_version}/{NORMALISATION_VERSION}",
    )


def normal_words(
    title: str, url: str | None, summary: str | None
) -> tuple[str, str | None, str | None]:
    """Return title, url and text of an entry without what changes though nobody wrote."""
    address = None if url is None else normal_url(url)
    return normal_line(title), address, normal_text(summary or "") or None


def _as_snapshot_entry(id_: str, entry: ParsedEntry) -> SnapshotEntry:
    tag_name, prerelease = entry.raw.get("tag_name"), entry.raw.get("prerelease")
    title, url, summary = normal_words(entry.title, entry.url, entry.summary)
    return SnapshotEntry(
        id=id_,
        title=title,
        url=url,
        published_at=None if entry.published_at is None else _rfc3339(entry.published_at),
        summary=summary,
        labels=_labels(entry.raw.get("categories")),
        tag_name=normal_line(tag_name) if isinstance(tag_name, str) else None,
        prerelease=prerelease if isinstance(prerelease, bool) else None,
    )


def _labels(categories: Json) -> tuple[str, ...]:
    if not isinstance(categories, list):
        return ()
    return tuple(
        sorted(
            {normal_line(category) for category in categories if isinstance(category, str)} - {""}
        )
    )


def _normal_block(block: Block) -> Block:
    heading = tuple(line for line in map(normal_heading, block.heading) if line)
    return Block(heading, normal_text(block.text))


def _rfc3339(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
