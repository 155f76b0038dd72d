"""Download the daily file; a partial download goes on where it stopped."""

from pathlib import Path

import httpx2

from client.bulk import Bulk, bulk_in
from client.errors import ApiError, UnexpectedAnswer
from client.transport import NOT_MODIFIED, Transport

RANGE_NOT_SATISFIABLE = 416


def fetch_bulk(transport: Transport, file: Path) -> Bulk:
    """Bring a file up to date; a partial download stays in ``….part`` until it is complete."""
    part = file.with_name(f"{file.name}.part")
    present = bulk_in(file)

    def send() -> httpx2.Response:
        return transport.save(transport.bulk_url, _headers(present, part), part)

    try:
        response = transport.attempt(send)
    except ApiError as error:
        if error.status != RANGE_NOT_SATISFIABLE:
            raise
        part.unlink(missing_ok=True)  # it was whole, or never a part of this
        response = transport.attempt(send)
    if response.status_code == NOT_MODIFIED and present is not None:
        return present
    if bulk_in(part) is None:
        part.unlink(missing_ok=True)
        raise UnexpectedAnswer(
            f"{transport.bulk_url} did not send a file of entries.",
            hint="Check the address of the API.",
        )
    part.replace(file)
    fetched = bulk_in(file)
    assert fetched is not None
    return fetched


def _headers(present: Bulk | None, part: Path) -> dict[str, str]:
    headers = {"Accept": "application/zstd", "Accept-Encoding": "identity"}
    if present is not None:
        headers["If-None-Match"] = f'"{present.id}"'
    begun = bulk_in(part)
    if begun is not None:
        headers |= {"Range": f"bytes={part.stat().st_size}-", "If-Range": f'"{begun.id}"'}
    return headers
