"""The position of a follower, in a file: nothing is printed twice, even if it is killed.

Before a page is printed the file gets its lines, and how long the output was if that is a file:
what is missing there is printed at the next start. Of any other output it counts the lines that
were printed; the one that a kill has cut off may come again.
"""

import json
import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, Final

from service.commands.inputs import CommandFailed

PRINTED: Final = b"."


@dataclass(slots=True)
class FollowPosition:
    """The cursor after the last page that was printed; without a file it is not kept."""

    file: Path | None
    cursor: str | None

    def resume(self) -> None:
        """Begin where the file says, and print what is left of a page that was cut off."""
        if self.file is None or not self.file.exists():
            return
        try:
            head, _, rest = self.file.read_bytes().partition(b"\n")
            self.cursor = head.decode("ascii").strip() or self.cursor
            page, _, printed = rest.partition(b"\n")
            pending = json.loads(page) if page else None
        except (OSError, ValueError) as error:
            raise CommandFailed(f"{self.file} holds no place: {error}") from error
        if pending is not None:
            self._print(_left_of(pending, len(printed)))
            self._save(pending["next"])

    def print_page(self, lines: Sequence[str], cursor: str) -> None:
        """Print a page, and go on behind it."""
        if lines and self.file is not None:
            pending = {"next": cursor, "output": _length_of(sys.stdout.buffer), "lines": lines}
            self._write(f"{self.cursor or ''}\n{json.dumps(pending)}\n")
        self._print("".join(f"{line}\n" for line in lines).encode())
        if self.file is not None and cursor != self.cursor:
            self._save(cursor)
        self.cursor = cursor

    def _print(self, data: bytes) -> None:
        """Print lines: at once into a file, else one by one, each counted."""
        output = sys.stdout.buffer
        if self.file is None or _length_of(output) is not None:
            output.write(data)
            output.flush()
            return
        with self.file.open("ab", buffering=0) as counted:
            for line in data.splitlines(keepends=True):
                output.write(line)
                output.flush()
                counted.write(PRINTED)

    def _save(self, cursor: str) -> None:
        self._write(f"{cursor}\n")
        self.cursor = cursor

    def _write(self, text: str) -> None:
        """Write the file anew; it has the old text or the new one, whatever happens."""
        if self.file is None:
            return
        try:
            with NamedTemporaryFile(
                "w", dir=self.file.absolute().parent, delete=False, encoding="utf-8"
            ) as part:
                part.write(text)
                part.flush()
                os.fsync(part.fileno())
            Path(part.name).replace(self.file)
        except OSError as error:
            raise CommandFailed(f"The place cannot be kept in {self.file}: {error}") from error


def _length_of(output: IO[bytes]) -> int | None:
    """Return how long the output is; None where it is no file."""
    try:
        status = os.fstat(output.fileno())
    except OSError:  # an output without a descriptor
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _left_of(pending: dict[str, Any], printed: int) -> bytes:
    """Return what of a page has not been printed, after so many lines were counted."""
    lines = [f"{line}\n".encode() for line in pending["lines"]]
    before, length = pending["output"], _length_of(sys.stdout.buffer)
    data = b"".join(lines)
    if before is None:
        return b"".join(lines[printed:])
    if length is None or not before <= length <= before + len(data):
        return data  # another output than before
    return data[length - before :]
