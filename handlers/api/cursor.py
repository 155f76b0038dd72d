"""Cursors into the log of changes, as text that callers keep (docs/decisions/0041).

A cursor is a change number with a checksum, so that a text that was cut or mistyped is refused
instead of leading somewhere else. Nothing about it is secret, and it never runs out.
"""

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

_NUMBER_LENGTH: Final = 8  # bytes, and below, of the checksum
_CHECKSUM_LENGTH: Final = 4
_LARGEST: Final = 2**63 - 1  # what a database can compare with


class InvalidCursor(ValueError):
    """A cursor that this service never issued."""


def cursor_of(number: int) -> str:
    """Return the cursor after the change with this number, in 16 characters."""
    body = number.to_bytes(_NUMBER_LENGTH, "big")
    return urlsafe_b64encode(body + _checksum(body)).decode()


def number_of(cursor: str) -> int:
    """Return the number of the change that a cursor comes after. Raises InvalidCursor."""
    try:
        decoded = urlsafe_b64decode(cursor)
    except (binascii.Error, ValueError) as error:
        raise InvalidCursor from error
    body, check = decoded[:_NUMBER_LENGTH], decoded[_NUMBER_LENGTH:]
    number = int.from_bytes(body, "big")
    if check != _checksum(body) or number > _LARGEST:
        raise InvalidCursor
    return number


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=_CHECKSUM_LENGTH, person=b"follow").digest()
