"""The key that signs CSRF tokens: configured, or made once and kept beside the data."""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

from service.settings import MIN_SECRET_KEY_LENGTH, Settings, WrongSettings, data_folder


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
