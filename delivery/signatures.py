"""Sign the messages of webhooks (Standard Webhooks 1.0, symmetric)."""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import datetime
from typing import Final

PREFIX: Final = "whsec_"


def signed_headers(
    secrets: Sequence[str], message_id: str, body: bytes, *, at: datetime
) -> dict[str, str]:
    """Return the signature headers of a message. ``at`` is the time of this attempt.

    There is one signature for each secret, so that a receiver may still use the old one.
    """
    timestamp = str(int(at.timestamp()))
    signed = b".".join((message_id.encode(), timestamp.encode(), body))
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signature(secret, signed) for secret in secrets),
    }


def signature(secret: str, signed: bytes) -> str:
    """Return the signature of what is signed: id, timestamp and body, joined by dots."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return f"v1,{base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()}"
