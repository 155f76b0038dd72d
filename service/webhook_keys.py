"""The keys that the secrets of webhooks are sealed under: configured, or the secret key."""

import structlog

from service.secret_key import secret_key
from service.settings import Settings
from storage.delivery.webhook_secrets import reseal_secrets
from storage.engine.database import Database
from storage.people.secret_box import SecretBox, keep_box

log = structlog.get_logger(__name__)


def secret_box(settings: Settings) -> SecretBox | None:
    """Return what encrypts secrets; None where machines may have different keys.

    A file beside a SQLite database is that of all its processes; on PostgreSQL the workers may be
    elsewhere, so a key has to be set.
    """
    keys = [key.get_secret_value() for key in settings.webhook_keys]
    if not keys and (settings.secret_key is not None or settings.sqlite_file is not None):
        keys = [secret_key(settings)]
        if settings.secret_key_before is not None:
            keys.append(settings.secret_key_before.get_secret_value())
    return SecretBox(keys) if keys else None


def use_secret_box(settings: Settings, database: Database) -> None:
    """Let a database's sessions seal and open the secrets of webhooks."""
    box = secret_box(settings)
    if box is not None:
        keep_box(database, box)


def seal_stored_secrets(settings: Settings, database: Database) -> None:
    """Seal what is stored openly or under an older key, as every worker does at its start."""
    box = secret_box(settings)
    if box is None:
        log.warning(
            "the secrets of webhooks are stored openly; set CHANGEWIRE_SECRET_KEY or "
            "CHANGEWIRE_WEBHOOK_KEYS, the same for all servers and workers"
        )
        return
    with database.write() as session:
        changed, unreadable = reseal_secrets(session, box)
    if changed:
        log.info("secrets of webhooks sealed", webhooks=changed)
    if unreadable:
        log.error(
            "secrets of webhooks cannot be opened; name their key in CHANGEWIRE_WEBHOOK_KEYS",
            webhooks=unreadable,
        )
