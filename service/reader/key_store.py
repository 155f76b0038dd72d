"""Keys that ``changewire login`` fetched: in the machine's keyring, or in a file if asked for."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

from platformdirs import user_config_path

from client.transport import base_url_of
from service.commands.inputs import CommandFailed
from service.settings import Settings

SERVICE: Final = "changewire"
"""The name under which keyrings show the keys."""
NO_KEYRING: Final = (
    "No keyring can be used here{reason}. Install one (pip install 'changewire[keyring]'), keep "
    "the key in a file that only you can read (changewire login --file), or make a key on the "
    "site, at /app/api-keys, and set CHANGEWIRE_API_KEY."
)


@dataclass(frozen=True, slots=True)
class KeyStore:
    """The keys by the address of their service. ``file``: the addresses, and keys kept in it."""

    file: Path

    def default(self) -> str | None:
        """Return the address of the newest login."""
        return next(reversed(self._logins()), None)

    def find(self, url: str) -> str | None:
        """Return the key for an address; None without a login. Raises CommandFailed."""
        address = base_url_of(url)
        logins = self._logins()
        if address not in logins:
            return None
        kept = logins[address]
        return kept if kept is not None else Keyring().read(address)

    def keep(self, url: str, key: str, *, in_file: bool) -> None:
        """Keep the key for an address. Raises CommandFailed."""
        address = base_url_of(url)
        if not in_file:
            Keyring().write(address, key)
        logins = {name: kept for name, kept in self._logins().items() if name != address}
        self._save({**logins, address: key if in_file else None})

    def forget(self, url: str) -> None:
        """Forget the key for an address. Raises CommandFailed."""
        address, logins = base_url_of(url), self._logins()
        if address not in logins:
            return
        if logins[address] is None:
            Keyring().delete(address)
        self._save({name: kept for name, kept in logins.items() if name != address})

    def _logins(self) -> dict[str, str | None]:
        try:
            logins = json.loads(self.file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise CommandFailed(f"{self.file} cannot be read: {error}") from error
        if not isinstance(logins, dict):
            raise CommandFailed(f"{self.file} holds no logins; remove it and log in again.")
        return logins

    def _save(self, logins: Mapping[str, str | None]) -> None:
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile("w", dir=self.file.parent, delete=False) as part:
                json.dump(logins, part, indent=1)  # readable by its owner alone
                part.flush()
                os.fsync(part.fileno())
            Path(part.name).replace(self.file)
        except OSError as error:
            raise CommandFailed(f"{self.file} cannot be written: {error.strerror}.") from error


class Keyring:
    """The keyring of the machine. Every method raises CommandFailed where there is none."""

    def __init__(self) -> None:
        try:
            self._module: Any = import_module("keyring")
        except ImportError as error:
            raise CommandFailed(NO_KEYRING.format(reason="")) from error
        if self._module.get_keyring().priority <= 0:
            raise CommandFailed(NO_KEYRING.format(reason=""))

    def read(self, address: str) -> str | None:
        """Return the key for an address."""
        return self._call("get_password", address)

    def write(self, address: str, key: str) -> None:
        """Keep a key."""
        self._call("set_password", address, key)

    def delete(self, address: str) -> None:
        """Forget a key, if it is still there."""
        if self.read(address) is not None:
            self._call("delete_password", address)

    def _call(self, name: str, *arguments: str) -> str | None:
        try:
            value: str | None = getattr(self._module, name)(SERVICE, *arguments)
        except self._module.errors.KeyringError as error:
            raise CommandFailed(NO_KEYRING.format(reason=f": {error}")) from error
        return value


def key_store() -> KeyStore:
    """Return the keys of the user."""
    return KeyStore(user_config_path("changewire", appauthor=False) / "logins.json")


def address_and_key(
    settings: Settings, url: str | None = None, api_key: str | None = None
) -> tuple[str, str | None]:
    """Return where to ask, and with which key: that of changewire login where none is named."""
    key, chosen = api_key or settings.key_to_send, url or settings.api_url
    if key is not None:
        return chosen or settings.site_url, key
    store = key_store()
    address = chosen or store.default() or settings.site_url
    return address, store.find(address)
