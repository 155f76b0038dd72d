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
from ingest.snapshots.pieces import Known, compressed, known_pieces
from ingest.snapshots.snapshot import Snapshot, SnapshotEntry
from openapi.vocabulary import Json

_OPENING: Final = b'{"id":'  # of an entry: the first of its names in order
_BETWEEN: Final = b"}," + _OPENING  # what begins with them, and nothing else: texts escape quotes
_LONG: Final = 64 * 1024  # bytes of JSON; less is one piece
_ONE_IN: Final = 64  # entries, one begins a piece


@dataclass(frozen=True, slots=True)
class StoredState:
    """A snapshot that is stored, and what spares writing and compressing it again.

    ``runs`` are the entries of its pieces with their JSON, by the id of the first one; ``pieces``
    are as ``compressed`` takes them. A short one has neither.
    """

    snapshot: Snapshot
    runs: Mapping[str, tuple[tuple[SnapshotEntry, ...], bytes]] = field(default_factory=dict)
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
    return StoredState(snapshot, runs, known_pieces(texts, body))


def canonical(snapshot: Snapshot, before: StoredState | None = None) -> list[bytes]:
    """The snapshot as canonical JSON, in pieces; what is in ``before`` is not written again."""
    runs = {} if before is None else before.runs
    entries, places = snapshot.entries, _places(snapshot.entries)
    texts = []
    for first, end in pairwise([*places, len(entries)]):
        run = entries[first:end]
        known, text = runs.get(run[0].id, ((), b"")) if run else ((), b"")
        texts.append(text if run == known else _BETWEEN + _BETWEEN.join(map(_inside, run)))
    head, tail = _around(snapshot)
    texts[0] = head + texts[0].removeprefix(_BETWEEN)
    texts[-1] += tail
    return texts if sum(map(len, texts)) >= _LONG else [b"".join(texts)]


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


def _places(entries: Sequence[SnapshotEntry]) -> list[int]:
    """Where pieces begin. Whether an entry begins one, its own id tells.

    So a piece is the same whatever stands before and behind it. This is part of what is stored:
    by another rule, ``known_pieces`` would take pieces of stored states for others.
    """
    told = (zlib.crc32(each.id.encode("utf-8", "surrogatepass")) % _ONE_IN for each in entries)
    return [0, *(at for at, number in enumerate(told) if at and not number)]


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
