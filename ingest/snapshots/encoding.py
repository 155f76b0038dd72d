"""Snapshots as bytes, addressed by their content; their parts as the open objects of a diff.

The bytes are canonical JSON. A long one is compressed in pieces of some dozen entries (``pieces``):
when one of a thousand entries is new, most pieces are those of the state before.
"""

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

import orjson

from ingest.adapters.base import Block
from ingest.snapshots.pieces import Known, compressed, known_pieces
from ingest.snapshots.snapshot import Snapshot, SnapshotEntry
from openapi.vocabulary import Json

_OPENING: Final = b'{"id":'  # of an entry: the first of its names in order
_BETWEEN: Final = b"}," + _OPENING
"""Between the insides of two entries, and nowhere else: quotes in texts are escaped."""
_LONG: Final = 64 * 1024  # bytes of JSON; less is one piece
_TELLING: Final = 256  # first bytes of an entry, which tell it from most others
_ONE_IN: Final = 64  # entries begins a piece


@dataclass(frozen=True, slots=True)
class StoredState:
    """A snapshot that is stored, and what spares writing and compressing it again.

    ``insides`` is the JSON of its entries, without their openings and ends, by their ``id()``;
    ``pieces`` are as ``compressed`` takes them. A short one has neither.
    """

    snapshot: Snapshot
    insides: Mapping[int, bytes] = field(default_factory=dict)
    pieces: Known = field(default_factory=dict)


def encode(snapshot: Snapshot) -> bytes:
    """The snapshot as compressed canonical JSON. Equal snapshots give equal bytes."""
    return compressed(canonical(snapshot), {})


def decode(body: bytes) -> Snapshot:
    """The snapshot that ``encode`` wrote. Raises ValueError for anything else."""
    return stored_state(body).snapshot


def stored_state(body: bytes) -> StoredState:
    """What ``decode`` returns, with what spares writing it. Raises ValueError as well."""
    try:
        written = zlib.decompress(body)
        found = orjson.loads(written)
        snapshot = Snapshot(
            entries=tuple(map(entry_from_json, found["entries"])),
            blocks=tuple(map(block_from_json, found["blocks"])),
            parser_version=found["parser_version"],
        )
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError("not an encoded snapshot") from error
    if len(written) < _LONG:
        return StoredState(snapshot)
    head, tail = _around(snapshot)
    insides = written[len(head) : -len(tail)].split(_BETWEEN)
    pieces = _cut(head, insides, tail)
    if len(insides) != len(snapshot.entries) or b"".join(pieces) != written:
        return StoredState(snapshot)  # not as we write it
    by_entry = {id(entry): inside for entry, inside in zip(snapshot.entries, insides, strict=True)}
    return StoredState(snapshot, by_entry, known_pieces(pieces, body))


def canonical(snapshot: Snapshot, known: Mapping[int, bytes] | None = None) -> list[bytes]:
    """The snapshot as canonical JSON, in pieces; ``known`` are the insides of some entries."""
    known = known or {}
    head, tail = _around(snapshot)
    return _cut(head, [known.get(id(each)) or _inside(each) for each in snapshot.entries], tail)


def digest_of(pieces: Sequence[bytes]) -> str:
    """SHA-256 in hex over the canonical JSON, parser version included."""
    digest = hashlib.sha256()
    for each in pieces:
        digest.update(each)
    return digest.hexdigest()


def content_hash(snapshot: Snapshot) -> str:
    """SHA-256 in hex over the canonical JSON of a snapshot."""
    return digest_of(canonical(snapshot))


def _around(snapshot: Snapshot) -> tuple[bytes, bytes]:
    """What stands before the insides of the entries in the canonical JSON, and behind them."""
    blocks = _dumped([block_as_json(each) for each in snapshot.blocks])
    version = _dumped(snapshot.parser_version)
    opening, end = (_OPENING, b"}") if snapshot.entries else (b"", b"")
    return (
        b'{"blocks":%b,"entries":[%b' % (blocks, opening),
        b'%b],"parser_version":%b}' % (end, version),
    )


def _cut(head: bytes, insides: Sequence[bytes], tail: bytes) -> list[bytes]:
    """Put the JSON together in pieces. Whether an entry begins one, its own bytes tell.

    So a piece is the same whatever stands before and behind it.
    """
    if sum(map(len, insides)) < _LONG:
        return [b"%b%b%b" % (head, _BETWEEN.join(insides), tail)]
    told = (zlib.crc32(each[:_TELLING]) % _ONE_IN for each in insides)
    firsts = [at for at, number in enumerate(told) if at and not number]
    pieces = [_BETWEEN.join(insides[at:end]) for at, end in pairwise([0, *firsts, len(insides)])]
    pieces = [*(each + _BETWEEN for each in pieces[:-1]), pieces[-1] + tail]
    pieces[0] = head + pieces[0]
    return pieces


def _inside(entry: SnapshotEntry) -> bytes:
    return _dumped(entry_as_json(entry))[len(_OPENING) : -1]


def _dumped(json: Json) -> bytes:
    return orjson.dumps(json, option=orjson.OPT_SORT_KEYS)


def entry_as_json(entry: SnapshotEntry) -> dict[str, Json]:
    """The entry as an open object; what only some vendors have is left out when it is not set."""
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
    """The entry that ``entry_as_json`` wrote; other keys are passed over."""
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
    """The block as an open object."""
    return {"heading": list(block.heading), "text": block.text}


def block_from_json(body: Mapping[str, Any]) -> Block:
    """The block that ``block_as_json`` wrote; other keys are passed over."""
    return Block(tuple(body["heading"]), body["text"])
