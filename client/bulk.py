"""The daily file of all entries that a key can read, and its cursor for ``follow``."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, cast

import httpx2
from zstandard import ZstdDecompressor, ZstdError

from client.errors import ApiError, UnexpectedAnswer
from client.transport import Transport
from openapi.shapes import ChangelogEntry


@dataclass(frozen=True, slots=True)
class Bulk:
    """A file of entries. Continue with ``follow`` from ``cursor`` to miss nothing.

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
                objects = _objects(file)
                next(objects, None)  # the head
                for entry in objects:
                    count += 1
                    yield cast("ChangelogEntry", entry)
        except (ZstdError, ValueError) as error:
            raise UnexpectedAnswer(f"{self.file} cannot be read: {error}") from error
        if count != self.count:
            message = f"{self.file} has {count} of {self.count} entries."
            raise UnexpectedAnswer(message, hint="Fetch it again.")

    def __len__(self) -> int:
        return self.count


def read_bulk(file: Path | str) -> Bulk:
    """Open a file that was fetched before; raises UnexpectedAnswer for any other file."""
    bulk = _bulk_in(Path(file))
    if bulk is None:
        raise UnexpectedAnswer(f"{file} is no file of entries.", hint="Fetch it with bulk().")
    return bulk


def fetch_bulk(transport: Transport, file: Path) -> Bulk:
    """Bring a file up to date; a partial download stays in ``….part`` until it is complete."""
    part, address = file.with_name(f"{file.name}.part"), f"{transport.base_url}/bulk"
    present = _bulk_in(file)

    def send() -> httpx2.Response:
        headers = {"Accept": "application/zstd", "Accept-Encoding": "identity"}
        if present is not None:
            headers["If-None-Match"] = f'"{present.id}"'
        if (begun := _bulk_in(part)) is not None:
            headers |= {"Range": f"bytes={part.stat().st_size}-", "If-Range": f'"{begun.id}"'}
        return transport.save(address, headers, part)

    try:
        response = transport.attempt(send)
    except ApiError as error:
        if error.status != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise
        part.unlink(missing_ok=True)  # it was whole, or never a part of this
        response = transport.attempt(send)
    if response.status_code == httpx2.codes.NOT_MODIFIED and present is not None:
        return present
    if _bulk_in(part) is None:
        part.unlink(missing_ok=True)
        message = f"{address} did not send a file of entries."
        raise UnexpectedAnswer(message, hint="Check the address of the API.")
    return read_bulk(part.replace(file))


def _bulk_in(file: Path) -> Bulk | None:
    """Return the first line of a file that may be incomplete; None for any other file."""
    with suppress(OSError, ZstdError, ValueError, KeyError, TypeError, StopIteration):
        with file.open("rb") as opened:
            head = next(_objects(opened))["bulk"]
        made_at = datetime.fromisoformat(head["made_at"])
        return Bulk(file, head["id"], head["next"], made_at, int(head["entries"]))
    return None


def _objects(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    with ZstdDecompressor().stream_reader(file, read_across_frames=True, closefd=False) as reader:
        yield from map(json.loads, TextIOWrapper(reader, encoding="utf-8", newline="\n"))
