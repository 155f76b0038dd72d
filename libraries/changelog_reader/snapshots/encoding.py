"""Snapshots as bytes, addressed by their content; their parts as the open objects of a diff."""

import hashlib
import zlib
from collections.abc import Mapping
from typing import Any, Final

import orjson

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry
from changelog_reader.vocabulary import Json

LEVEL: Final = 4
"""The level of zlib: at 6, feeds take 4 % less room and twice the time."""


def canonical(snapshot: Snapshot) -> bytes:
    """Return the canonical JSON of a snapshot, parser version included."""
    document: dict[str, Json] = {
        "entries": [entry_as_json(entry) for entry in snapshot.entries],
        "blocks": [block_as_json(block) for block in snapshot.blocks],
        "parser_version": snapshot.parser_version,
    }
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)


def digest_of(text: bytes) -> str:
    """Return the SHA-256 in hex of canonical JSON."""
    return hashlib.sha256(text).hexdigest()


def compressed(text: bytes) -> bytes:
    """Return canonical JSON as it is stored."""
    return zlib.compress(text, level=LEVEL)


def decode(body: bytes) -> Snapshot:
    """Return a stored snapshot. Raises ValueError for bytes that are none."""
    try:
        json = orjson.loads(zlib.decompress(body))
        return Snapshot(
            entries=tuple(map(entry_from_json, json["entries"])),
            blocks=tuple(map(block_from_json, json["blocks"])),
            parser_version=json["parser_version"],
        )
    except (zlib.error, KeyError, TypeError) as error:
        raise ValueError("not an encoded snapshot") from error


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
