"""The key that signs CSRF tokens, and those that the secrets of webhooks are sealed under."""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

import structlog

from service.settings import MIN_SECRET_KEY_LENGTH, Settings, WrongSettings, data_folder
from storage.delivery.webhook_secrets import reseal_secrets
from storage.engine.database import Database
from storage.people.secret_box import SecretBox, keep_box

log = structlog.get_logger(__name__)


def secret_key(settings: Settings) -> str:
    """Return the key that signs CSRF tokens; if unset, create one and store it beside the data.

    Raises WrongSettings if it cannot be stored.
    """
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    database = settings.sqlite_file
    file = (data_folder() / "changewire" if database is None else database).with_suffix(".secret")
    try:
        if not file.exists():
            _write_once(file, secrets.token_urlsafe(48))
        key = _read_key(file)
    except OSError as error:
        raise WrongSettings(
            f"CHANGEWIRE_SECRET_KEY is not set, and {file} cannot keep one: {error.strerror}."
        ) from error
    if len(key) < MIN_SECRET_KEY_LENGTH:
        raise WrongSettings(f"{file} holds no key; remove it, and another one is made.")
    return key


def _write_once(file: Path, text: str) -> None:
    """Write a file that only its owner may read, unless another process was first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as stream:
                stream.write(text)
        except OSError:  # such as a full disk
            file.unlink()
            raise


def _read_key(file: Path) -> str:
    """Read a key; wait if another process has created its file and has not written it yet."""
    for _ in range(50):
        key = file.read_text().strip()
        if len(key) >= MIN_SECRET_KEY_LENGTH:
            break
        time.sleep(0.02)
    return key


def secret_box(settings: Settings) -> SecretBox | None:
    """Return the encryption of secrets; None if machines may have different keys.

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
