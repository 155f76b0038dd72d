"""Snapshots as bytes, addressed by their content; their parts as the open objects of a diff.

The bytes are canonical JSON. A long one is compressed in pieces (``pieces``), of 64 entries on
average: when one of a thousand entries is new, most pieces are those of the state before.
"""

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import orjson

from ingest.adapters.base import Block
from ingest.snapshots.pieces import PieceCache, cached_pieces
from ingest.snapshots.snapshot import Snapshot, SnapshotEntry
from openapi.vocabulary import Json

_OPENING: Final = b'{"id":'  # of an entry: the first of its names in order
_BETWEEN: Final = b"}," + _OPENING  # what begins with them, and nothing else: texts escape quotes
_LONG: Final = 64 * 1024  # bytes of JSON; less is one piece
_ONE_IN: Final = 64  # entries, one begins a piece


@dataclass(frozen=True, slots=True)
class StoredState:
    """A stored snapshot with its written and compressed pieces, which can be reused.

    ``runs`` are the entries of its pieces with their JSON, by the id of the first one; ``pieces``
    are as ``compressed`` takes them. A short one has neither.
    """

    snapshot: Snapshot
    runs: Mapping[str, tuple[tuple[SnapshotEntry, ...], bytes]] = field(default_factory=dict)
    pieces: PieceCache = field(default_factory=dict)


def stored_state(body: bytes) -> StoredState:
    """Return a stored snapshot, with pieces that need not be written again.

    Raises ValueError for what is none.
    """
    try:
        written = zlib.decompress(body)
        json = orjson.loads(written)
        snapshot = Snapshot(
            entries=tuple(map(entry_from_json, json["entries"])),
            blocks=tuple(map(block_from_json, json["blocks"])),
            parser_version=json["parser_version"],
        )
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError("not an encoded snapshot") from error
    if len(written) < _LONG:
        return StoredState(snapshot)
    entries, places = snapshot.entries, _places(snapshot.entries)
    at, starts = 0, []
    for place in places[1:]:
        at = written.find(b"%b%b," % (_BETWEEN, _dumped(entries[place].id)), at)
        if at < 0:
            return StoredState(snapshot)  # not as we write it
        starts.append(at)
    texts = [written[at:end] for at, end in pairwise([0, *starts, len(written)])]
    inner = zip(pairwise(places[1:]), texts[1:-1], strict=True)  # the others hold more than entries
    runs = {entries[first].id: (entries[first:end], text) for (first, end), text in inner}
    return StoredState(snapshot, runs, cached_pieces(texts, body))


def canonical(snapshot: Snapshot, before: StoredState | None = None) -> list[bytes]:
    """Return the canonical JSON of a snapshot in pieces; those in ``before`` are taken from it."""
    runs = {} if before is None else before.runs
    entries, places = snapshot.entries, _places(snapshot.entries)
    texts = []
    for first, end in pairwise([*places, len(entries)]):
        run = entries[first:end]
        run_entries, text = runs.get(run[0].id, ((), b"")) if run else ((), b"")
        texts.append(text if run == run_entries else _BETWEEN + _BETWEEN.join(map(_inside, run)))
    head, tail = _around(snapshot)
    texts[0] = head + texts[0].removeprefix(_BETWEEN)
    texts[-1] += tail
    return texts if sum(map(len, texts)) >= _LONG else [b"".join(texts)]


def digest_of(pieces: Sequence[bytes]) -> str:
    """Return the SHA-256 in hex of canonical JSON, parser version included."""
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _around(snapshot: Snapshot) -> tuple[bytes, bytes]:
    """Return the canonical JSON before and behind the insides of the entries."""
    blocks = _dumped([block_as_json(block) for block in snapshot.blocks])
    version = _dumped(snapshot.parser_version)
    opening, end = (_OPENING, b"}") if snapshot.entries else (b"", b"")
    return (
        b'{"blocks":%b,"entries":[%b' % (blocks, opening),
        b'%b],"parser_version":%b}' % (end, version),
    )


def _places(entries: Sequence[SnapshotEntry]) -> list[int]:
    """Return where pieces begin. Whether an entry begins one, its own id tells.

    So a piece is the same whatever stands before and behind it. This is part of what is stored:
    by another rule, ``cached_pieces`` would take pieces of stored states for others.
    """
    numbers = (zlib.crc32(entry.id.encode("utf-8", "surrogatepass")) % _ONE_IN for entry in entries)
    return [0, *(at for at, number in enumerate(numbers) if at and not number)]


def _inside(entry: SnapshotEntry) -> bytes:
    return _dumped(entry_as_json(entry))[len(_OPENING) : -1]


def _dumped(json: Json) -> bytes:
    return orjson.dumps(json, option=orjson.OPT_SORT_KEYS)


def entry_as_json(entry: SnapshotEntry) -> dict[str, Json]:
    """Return an entry as an open object; what is not set is left out."""
    body: dict[str, Json] = {
        "id": entry.id,
        "title": entry.title,
        "url": entry.url,
        "published_at": entry.published_at,
        "summary": entry.summary,
    }
    if entry.labels:
        body["labels"] = list(entry.labels)
    if entry.tag_name is not None:
        body["tag_name"] = entry.tag_name
    if entry.prerelease is not None:
        body["prerelease"] = entry.prerelease
    return body


def entry_from_json(body: Mapping[str, Any]) -> SnapshotEntry:
    """Return the entry that ``entry_as_json`` wrote; other keys are ignored."""
    labels = body.get("labels")
    return SnapshotEntry(
        body["id"],
        body["title"],
        body["url"],
        body["published_at"],
        body["summary"],
        tuple(labels) if labels else (),
        body.get("tag_name"),
        body.get("prerelease"),
    )


def block_as_json(block: Block) -> dict[str, Json]:
    """Return a block as an open object."""
    return {"heading": list(block.heading), "text": block.text}


def block_from_json(body: Mapping[str, Any]) -> Block:
    """Return the block that ``block_as_json`` wrote; other keys are ignored."""
    return Block(tuple(body["heading"]), body["text"])
