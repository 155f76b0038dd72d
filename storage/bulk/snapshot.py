"""A snapshot of all entries on disk: one file, and an index of the sources in it.

The file is NDJSON, an entry a line. Each source is a zstd frame of its own, so that the frames of
some sources, one behind the other, are a file of their entries (RFC 8878 section 3).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass
from datetime import datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Final

import orjson

INDEX: Final = "bulk.json"


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the entries of a source are in the file."""

    slug: str
    start: int
    length: int
    entries: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The stored entries when it was made: everything up to the change ``number``, at least."""

    number: int
    made_at: datetime
    file: str
    frames: tuple[Frame, ...]

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return sum(frame.entries for frame in self.frames)

    @property
    def size(self) -> int:
        """The bytes of its file."""
        return sum(frame.length for frame in self.frames)


def load_snapshot(folder: Path) -> Snapshot | None:
    """Return the newest snapshot in a folder; None without any."""
    try:
        fields = orjson.loads((folder / INDEX).read_bytes())
    except FileNotFoundError:
        return None
    return Snapshot(
        fields["number"],
        datetime.fromisoformat(fields["made_at"]),
        fields["file"],
        tuple(Frame(*frame) for frame in fields["frames"]),
    )


def save_snapshot(folder: Path, snapshot: Snapshot) -> None:
    """Make a snapshot the newest one of its folder, and delete all others."""
    fields = asdict(snapshot) | {"frames": [astuple(frame) for frame in snapshot.frames]}
    with written_whole(folder / INDEX) as part:
        part.write(orjson.dumps(fields))
    for file in folder.iterdir():
        if file.name.endswith((".part", ".zst")) and file.name != snapshot.file:
            with suppress(FileNotFoundError):
                file.unlink()


@contextmanager
def written_whole(file: Path) -> Iterator[IO[bytes]]:
    """Yield a private file to write, which is created only if the block succeeds."""
    with NamedTemporaryFile("wb", dir=file.parent, suffix=".part", delete=False) as part:
        try:
            yield part
            part.flush()
            os.fsync(part.fileno())
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
    Path(part.name).replace(file)
