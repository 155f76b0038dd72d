"""Addresses that entries had before, /e/SOURCE/ID, which redirect. Pure."""

import re
from base64 import urlsafe_b64decode
from typing import Final

_PLAIN: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def entry_id_of(token: str) -> str | None:
    """Return the vendor's id in an address: as it is, or as base64 behind a ``~``."""
    if not token.startswith("~"):
        return token if _PLAIN.fullmatch(token) else None
    encoded = token.removeprefix("~")
    try:
        decoded = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
        return decoded.decode("utf-8", "surrogatepass").replace("\0", "") or None
    except ValueError:
        return None
