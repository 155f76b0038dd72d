"""Content as it was before it was coded (RFC 9110 §8.4), by httpx2's decoders.

They give no more than a piece at a time, however much is packed into a few bytes.
"""

from collections.abc import Iterator

import httpx2

from outbound.exchange import Fields
from outbound.faults import BadCoding


class _Coded(httpx2.SyncByteStream):
    """Content as it came."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces


def decoded(fields: Fields, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield content decoded as its header fields say. Raises BadCoding."""
    try:
        yield from httpx2.Response(200, headers=fields, stream=_Coded(pieces)).iter_bytes()
    except httpx2.DecodingError as error:
        raise BadCoding("The content coding is broken.") from error
