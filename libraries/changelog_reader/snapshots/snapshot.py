"""A source's published state at one moment, normalised so that two moments can be compared.

It is stored as bytes, addressed by their content, and kept for a while; the types of the changes
between two of them are here too.
"""

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from changelog_reader.adapters.base import Block, ParsedEntry
from changelog_reader.snapshots.normalise import (
    NORMALISATION_VERSION,
    normal_heading,
    normal_line,
    normal_text,
    normal_url,
)
from changelog_reader.vocabulary import ChangeOp, Json

KEPT_SNAPSHOTS = 200
"""How many snapshots of a source are kept at least."""
KEPT_FOR = timedelta(days=90)
"""How long every snapshot is kept at least."""
KeyT = TypeVar("KeyT", int, str)
COMPRESSION: Final = 4
"""The level of zlib: at 6, feeds take 4 % less room and twice the time."""
MAX_CHANGES = 500
"""Most changes one diff lists."""
MAX_DIFF_CHARACTERS = 1024 * 1024
"""Most characters of text in one diff; ``wire`` bounds the bytes of JSON that they become."""


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
        blocks=tuple(filter(attrgetter("text"), map(_normal_block, blocks))),
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
    labels: set[str] = set()
    if isinstance(categories := entry.raw.get("categories"), list):
        labels = {normal_line(label) for label in categories if isinstance(label, str)} - {""}
    title, url, summary = normal_words(entry.title, entry.url, entry.summary)
    at = None
    if entry.published_at is not None:
        moment = entry.published_at.astimezone(UTC)
        at = moment.isoformat(timespec="seconds").replace("+00:00", "Z")
    return SnapshotEntry(
        id=id_,
        title=title,
        url=url,
        published_at=at,
        summary=summary,
        labels=tuple(sorted(labels)),
        tag_name=normal_line(tag_name) if isinstance(tag_name, str) else None,
        prerelease=prerelease if isinstance(prerelease, bool) else None,
    )


def _normal_block(block: Block) -> Block:
    heading = tuple(line for line in map(normal_heading, block.heading) if line)
    return Block(heading, normal_text(block.text))


def prune(
    fetch_times: Iterable[tuple[KeyT, datetime]],
    *,
    now: datetime,
    newest: int = KEPT_SNAPSHOTS,
    kept_for: timedelta = KEPT_FOR,
) -> list[KeyT]:
    """Return the ids of a source's snapshots to drop, oldest first: neither recent nor newest.

    ``fetch_times`` are the ids with the times they were fetched, in any order. Of the two rules
    the one that keeps more wins (docs/decisions/0011). The newest snapshot is never dropped: the
    next diff starts from it. A source's diffs are kept by the same rule.
    """
    newest_first = sorted(fetch_times, key=itemgetter(1, 0), reverse=True)
    dropped = [id_ for id_, at in newest_first[newest:] if at < now - kept_for]
    return dropped[::-1]


def encode(snapshot: Snapshot) -> tuple[str, bytes]:
    """Return the SHA-256 in hex of a snapshot's canonical JSON, and that JSON as it is stored."""
    document: dict[str, Json] = {
        "entries": list(map(entry_as_json, snapshot.entries)),
        "blocks": list(map(block_as_json, snapshot.blocks)),
        "parser_version": snapshot.parser_version,
    }
    text = orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest(), zlib.compress(text, level=COMPRESSION)


def decode(body: bytes) -> Snapshot:
    """Return a stored snapshot. Raises ValueError for bytes that are none."""
    try:
        json = orjson.loads(zlib.decompress(body))
        return Snapshot(
            entries=tuple(map(entry_from_json, json["entries"])),
            blocks=tuple(Block(tuple(it["heading"]), it["text"]) for it in json["blocks"]),
            parser_version=json["parser_version"],
        )
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError("not an encoded snapshot") from error


def entry_as_json(entry: SnapshotEntry) -> dict[str, Json]:
    """Return an entry as an open object; labels, tag and prerelease are left out if not set."""
    body: dict[str, Any] = entry._asdict()
    for name in ("labels", "tag_name", "prerelease"):
        if body[name] in ((), None):
            del body[name]
    if entry.labels:
        body["labels"] = list(entry.labels)
    return body


def entry_from_json(body: Mapping[str, Any]) -> SnapshotEntry:
    """Return the entry that ``entry_as_json`` wrote; other keys are ignored."""
    known = {name: body[name] for name in SnapshotEntry._fields if name in body}
    return SnapshotEntry(**{**known, "labels": tuple(body.get("labels", ()))})


def block_as_json(block: Block) -> dict[str, Json]:
    """Return a block as an open object."""
    return {"heading": list(block.heading), "text": block.text}


Item = SnapshotEntry | Block


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where it is among the entries, or the blocks, of its snapshot (from 0)."""

    index: int
    item: Item


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change of one entry or block.

    ``before`` is None for added, ``after`` is None for removed and rolled_off. An item that was
    both edited and moved has two changes, and its moved one carries no summary.
    """

    op: ChangeOp
    before: Placed | None
    after: Placed | None

    @property
    def placed(self) -> Placed:
        """Where the item is now, or was last."""
        place = self.after or self.before
        assert place is not None
        return place


class Stats(NamedTuple):
    """Counts of entries and blocks by change, before anything is truncated.

    A moved item counts by its content: as changed when that changed too, else as unchanged. So
    added + changed + unchanged is the size after, removed + rolled_off + changed + unchanged the
    size before.
    """

    added: int
    changed: int
    removed: int
    rolled_off: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes between two snapshots, at least one.

    ``truncated``: changes were left out (more than MAX_CHANGES or MAX_DIFF_CHARACTERS), or a text
    had been cut. Applied to the state before, a diff that is not truncated gives the state after.
    """

    changes: tuple[ItemChange, ...]
    stats: Stats
    truncated: bool
