"""The downloaded part of a snapshot: a first line and the frames of some sources. Pure."""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Final

import orjson
from zstandard import ZstdCompressor

from storage.bulk.snapshot import Frame, Snapshot

ID_DIGITS: Final = 32
CHUNK_BYTES: Final = 256 * 1024
LEVEL: Final = 3


@dataclass(frozen=True)
class Download:
    """A file that is made of parts of the snapshot's. ``cursor``: where ``/changes`` goes on."""

    snapshot: Snapshot
    frames: tuple[Frame, ...]
    cursor: str

    @cached_property
    def id(self) -> str:
        """An identifier: equal for equal bytes only."""
        content = (self.cursor, self.snapshot.file, [frame.slug for frame in self.frames])
        return hashlib.sha256(repr(content).encode()).hexdigest()[:ID_DIGITS]

    @cached_property
    def head(self) -> bytes:
        """The frame of the first line, which says what the file is."""
        made_at = f"{self.snapshot.made_at:%Y-%m-%dT%H:%M:%SZ}"
        entries = sum(frame.entries for frame in self.frames)
        bulk = {"id": self.id, "next": self.cursor, "made_at": made_at, "entries": entries}
        return ZstdCompressor(level=LEVEL).compress(orjson.dumps({"bulk": bulk}) + b"\n")

    @cached_property
    def size(self) -> int:
        """The bytes of the whole."""
        return len(self.head) + sum(frame.length for frame in self.frames)

    def spans(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield where the bytes from ``start`` to before ``end`` are: in the snapshot's file."""
        place = len(self.head)
        for frame in self.frames:
            first, last = max(start, place), min(end, place + frame.length)
            if first < last:
                offset = frame.start - place
                yield first + offset, last + offset
            place += frame.length

    def read(self, file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes from ``start`` to before ``end``."""
        if start < len(self.head):
            yield self.head[start:end]
        for first, last in _joined(self.spans(start, end)):
            file.seek(first)
            while first < last:
                chunk = file.read(min(CHUNK_BYTES, last - first))
                if not chunk:
                    raise OSError("the snapshot is shorter than its index says")
                first += len(chunk)
                yield chunk


def download_of(snapshot: Snapshot, cursor: str, slugs: Collection[str]) -> Download:
    """Return what of a snapshot is of these sources."""
    return Download(
        snapshot, tuple(frame for frame in snapshot.frames if frame.slug in slugs), cursor
    )


def _joined(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield spans, those that follow on each other as one."""
    whole: tuple[int, int] | None = None
    for first, last in spans:
        if whole is not None and whole[1] == first:
            whole = whole[0], last
            continue
        if whole is not None:
            yield whole
        whole = first, last
    if whole is not None:
        yield whole
