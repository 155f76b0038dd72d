"""The secrets of webhooks as they are stored (docs/decisions/0040)."""

import base64
import binascii
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.models import Webhook
from storage.people.secret_box import SecretBox, SecretUnreadable, box_of

PREFIX: Final = "whsec_"
SEALED: Final = "sealed1."


def stored_secret(session: Session, secret: str, webhook_id: str) -> str:
    """Return a new secret as it is stored."""
    box = box_of(session)
    return secret if box is None else _sealed(box, secret, webhook_id)


def open_secret(session: Session, stored: str, webhook_id: str) -> str:
    """Return a stored secret as it is shown. Raises SecretUnreadable."""
    return _opened(box_of(session) or SecretBox(()), stored, webhook_id)


def reseal_secrets(session: Session, box: SecretBox) -> tuple[int, list[str]]:
    """Seal all secrets that are stored openly or under an older key.

    Return how many webhooks had such a one, and the ids of those whose secrets no key opens, which
    stay as they are.
    """
    changed, unreadable = 0, []
    for webhook in session.scalars(select(Webhook).with_for_update()):
        try:
            changed += _reseal(box, webhook)
        except SecretUnreadable:
            unreadable.append(webhook.public_id)
    return changed, unreadable


def unreadable_secrets(session: Session, box: SecretBox | None) -> int:
    """Return how many webhooks have a secret that no key opens."""
    count = 0
    for name, stored in session.execute(select(Webhook.public_id, Webhook.secret)):
        try:
            _opened(box or SecretBox(()), stored, name)
        except SecretUnreadable:
            count += 1
    return count


def _reseal(box: SecretBox, webhook: Webhook) -> bool:
    name, old = webhook.public_id, webhook.old_secret
    if _is_current(box, webhook.secret, name) and (old is None or _is_current(box, old, name)):
        return False
    webhook.secret = _sealed(box, _opened(box, webhook.secret, name), name)
    if old is not None:
        webhook.old_secret = _sealed(box, _opened(box, old, name), name)
    return True


def _sealed(box: SecretBox, secret: str, name: str) -> str:
    plain = base64.b64decode(secret.removeprefix(PREFIX))
    return SEALED + base64.urlsafe_b64encode(box.seal(plain, name)).decode()


def _opened(box: SecretBox, stored: str, name: str) -> str:
    if not stored.startswith(SEALED):
        return stored
    return PREFIX + base64.b64encode(box.open(_bytes_of(stored), name)).decode()


def _is_current(box: SecretBox, stored: str, name: str) -> bool:
    return stored.startswith(SEALED) and box.is_current(_bytes_of(stored), name)


def _bytes_of(stored: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(stored.removeprefix(SEALED))
    except binascii.Error:
        return b""
