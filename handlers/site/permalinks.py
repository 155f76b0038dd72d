"""Addresses of entries on this site: /e/SOURCE/ENTRY (docs/decisions/0118). Pure."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from typing import Final

PREFIX: Final = "/e"
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_ENCODED: Final = "~"


def permalink(source: str, entry_id: str) -> str:
    """Return the path of an entry."""
    return f"{PREFIX}/{source}/{entry_token(entry_id)}"


def entry_token(entry_id: str) -> str:
    """Write a vendor's id as one segment of a path: as it is, or as base64 behind a ``~``."""
    if _PLAIN.fullmatch(entry_id):
        return entry_id
    encoded = urlsafe_b64encode(entry_id.encode("utf-8", "surrogatepass")).decode()
    return _ENCODED + encoded.rstrip("=")


def entry_id_of(token: str) -> str | None:
    """Read back what entry_token wrote; None for anything else."""
    if not token.startswith(_ENCODED):
        return token if _PLAIN.fullmatch(token) else None
    encoded = token.removeprefix(_ENCODED)
    try:
        decoded = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        entry_id = decoded.decode("utf-8", "surrogatepass")
    except (Error, ValueError):
        return None
    return entry_id if entry_id and entry_token(entry_id) == token else None
