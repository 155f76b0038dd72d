"""Secrets that have to be read again are stored encrypted, under a key outside of the database.

AES-256-GCM, bound to a name, so that a row cannot be given what belongs to another one. Without a
key all is stored as it is (docs/decisions/0040).
"""

import secrets
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy.orm import Session

from storage.engine.database import Database

NONCE_BYTES: Final = 12
BOX: Final = "secret_box"  # the name of the SecretBox in ``Session.info``


class SecretUnreadable(Exception):
    """No key of the settings opens something that was sealed."""


class SecretBox:
    """Seals with the first of its keys and opens with all of them."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._ciphers = [AESGCM(_derived(key)) for key in keys]

    def seal(self, plain: bytes, name: str) -> bytes:
        """Return what is stored."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, plain, name.encode())

    def open(self, sealed: bytes, name: str) -> bytes:
        """Return what was sealed for this name. Raises SecretUnreadable."""
        for cipher in self._ciphers:
            plain = _opened(cipher, sealed, name)
            if plain is not None:
                return plain
        raise SecretUnreadable(
            f"What is stored of {name} was sealed under a key that CHANGEWIRE_WEBHOOK_KEYS lacks"
        )

    def is_current(self, sealed: bytes, name: str) -> bool:
        """Return True if the value was sealed under the first key."""
        return _opened(self._ciphers[0], sealed, name) is not None


def keep_box(database: Database, box: SecretBox) -> None:
    """Let all sessions of a database seal what they store."""
    database.info[BOX] = box


def box_of(session: Session) -> SecretBox | None:
    """Return what a session seals with, if there is a key."""
    box = session.info.get(BOX)
    assert box is None or isinstance(box, SecretBox)
    return box


def _derived(key: str) -> bytes:
    info = b"changewire: secrets of webhooks"
    return HKDF(SHA256(), length=32, salt=None, info=info).derive(key.encode())


def _opened(cipher: AESGCM, sealed: bytes, name: str) -> bytes | None:
    try:
        return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], name.encode())
    except (InvalidTag, ValueError):
        return None
