"""The daily file of all that a key may read, and the cursor from which ``follow`` goes on."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

from zstandard import ZstdDecompressor, ZstdError

from client.errors import UnexpectedAnswer
from openapi.shapes import ChangelogEntry


@dataclass(frozen=True, slots=True)
class Bulk:
    """A file of entries. ``cursor``: where ``follow`` goes on, so that nothing is missed.

    Iterating reads the entries from the file, as often as you like. Entries that were stored while
    the file was written come again from ``follow``: keep them by ``source`` and ``id``.
    """

    file: Path
    id: str
    cursor: str
    made_at: datetime
    count: int

    def __iter__(self) -> Iterator[ChangelogEntry]:
        """Yield the entries; raises UnexpectedAnswer where the file is not whole."""
        count = 0
        try:
            with self.file.open("rb") as file:
                for entry in _objects(file, skip=1):
                    count += 1
                    yield cast("ChangelogEntry", entry)
        except (ZstdError, ValueError) as error:
            raise UnexpectedAnswer(f"{self.file} cannot be read: {error}") from error
        if count != self.count:
            raise UnexpectedAnswer(
                f"{self.file} has {count} of {self.count} entries.", hint="Fetch it again."
            )

    def __len__(self) -> int:
        """Return how many entries the file says it has."""
        return self.count


def read_bulk(file: Path | str) -> Bulk:
    """Open a file that was fetched before; raises UnexpectedAnswer for any other file."""
    bulk = bulk_in(Path(file))
    if bulk is None:
        raise UnexpectedAnswer(f"{file} is no file of entries.", hint="Fetch it with bulk().")
    return bulk


def bulk_in(file: Path) -> Bulk | None:
    """Return the first line of a file that may be incomplete; None for any other file."""
    with suppress(OSError, ZstdError, ValueError, KeyError, TypeError, StopIteration):
        with file.open("rb") as opened:
            head = next(_objects(opened))["bulk"]
        made_at = datetime.fromisoformat(head["made_at"])
        return Bulk(file, head["id"], head["next"], made_at, int(head["entries"]))
    return None


def _objects(file: IO[bytes], *, skip: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file, the first ones left out."""
    with ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False) as reader:
        for number, line in enumerate(TextIOWrapper(reader, encoding="utf-8", newline="\n")):
            if number >= skip:
                yield json.loads(line)
