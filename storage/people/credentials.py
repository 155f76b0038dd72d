"""Secrets: how they are made, recognised and stored (docs/decisions/0013)."""

import base64
import hashlib
import re
import secrets
import string
import zlib

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
PREFIX = "cw"
_KEY = re.compile(rf"{PREFIX}_([0-9A-Za-z]{{12}})_[0-9A-Za-z]{{38}}", re.ASCII)
_CHECKSUM_LENGTH = 6
_CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
_CODE_LENGTH = 8
_READ_AS = str.maketrans("OIL", "011")
_PAIRS = [first + second for first in BASE62 for second in BASE62]


def new_key() -> str:
    """Return a key: prefix, 12 characters of public id, 32 of secret, 6 of checksum."""
    body = f"{PREFIX}_{_random_base62(12)}_{_random_base62(32)}"
    return body + checksum(body)


def public_id_of(key: str) -> str | None:
    """Return the public id of a well-formed key; None for anything else.

    No query is spent on a string that was never one of our keys.
    """
    match = _KEY.fullmatch(key)
    if match is None or checksum(key[:-_CHECKSUM_LENGTH]) != key[-_CHECKSUM_LENGTH:]:
        return None
    return match[1]


def checksum(body: str) -> str:
    """Return the CRC-32 of ASCII text in six base62 digits."""
    above, last = divmod(zlib.crc32(body.encode("ascii")), len(_PAIRS))
    first, middle = divmod(above, len(_PAIRS))
    return _PAIRS[first] + _PAIRS[middle] + _PAIRS[last]


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret, in hexadecimal: the only form that is stored.

    A plain hash is enough because our secrets have at least 128 random bits.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def new_token() -> str:
    """Return a secret of 256 random bits for links and cookies."""
    return secrets.token_urlsafe(32)


def new_code() -> str:
    """Return a code of 40 random bits that people can type, in two halves."""
    letters = "".join(secrets.choice(_CODE_LETTERS) for _ in range(_CODE_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


def code_in(text: str) -> str | None:
    """Return the code that somebody typed, in any case and spacing; None for anything else."""
    letters = "".join(text.split()).replace("-", "").upper().translate(_READ_AS)
    if len(letters) != _CODE_LENGTH or not set(letters) <= set(_CODE_LETTERS):
        return None
    return f"{letters[:4]}-{letters[4:]}"


def new_request_id() -> str:
    """Return the identifier of a source request: not guessable, not countable."""
    return f"req_{_random_base62(20)}"


def new_public_id() -> str:
    """Return the identifier of a webhook or a saved filter: not guessable, not countable."""
    return _random_base62(12)


def new_signing_secret() -> str:
    """Return a secret that messages are signed with: 256 random bits (Standard Webhooks)."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(32)).decode()}"


def _random_base62(length: int) -> str:
    return "".join(secrets.choice(BASE62) for _ in range(length))
