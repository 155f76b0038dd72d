"""Settings: environment variables that start with CHANGEWIRE_, or a .env file."""

import os
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

Network = IPv4Network | IPv6Network
PREFIX: Final = "changewire_"
OF_A_COMMAND: Final = "api_keys"  # an option of changewire conformance
LEAST_OF_A_KEY: Final = 32  # characters
NEAR: Final = 0.65
"""How alike a name is to a setting's. An orchestrator adds names of its own, which are less so:
CHANGEWIRE_SERVICE_HOST, CHANGEWIRE_PORT_8080_TCP."""
_YES_OR_NO: Final = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}


class WrongSettings(Exception):
    """Settings that cannot be used. The message has one line for each."""


class Secret:
    """Text that does not show when it is printed or logged."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_secret_value(self) -> str:
        """Return the text."""
        return self._text

    def __repr__(self) -> str:
        """Return nothing of it."""
        return "Secret('**********')"


def _setting(
    description: str,
    *,
    default: object = None,
    made: Callable[[], object] | None = None,
    read: Callable[[str], object] = str,
) -> Any:
    """Describe a setting: its default, or how that is ``made``, and how its text is read.

    ``read`` raises ValueError with what is wrong in words.
    """
    about = {"description": description, "read": read}
    if made is not None:
        return field(default_factory=made, metadata=about)
    return field(default=default, metadata=about)


def _networks(text: str) -> tuple[Network, ...]:
    return tuple(ip_network(part, strict=False) for part in _parts(text))


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _parts(text))


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _yes_or_no(text: str) -> bool:
    if text.strip().lower() not in _YES_OR_NO:
        raise ValueError("must be true or false")
    return _YES_OR_NO[text.strip().lower()]


def _one_of(*words: str) -> Callable[[str], str]:
    told = f"must be {', '.join(map(repr, words[:-1]))} or {words[-1]!r}"

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(told)
        return text

    return read


def _secret(text: str) -> Secret:
    return Secret(text)


def _long_secret(least: int) -> Callable[[str], Secret]:
    def read(text: str) -> Secret:
        if len(text) < least:
            raise ValueError(f"must have at least {least} characters")
        return Secret(text)

    return read


def _address(text: str) -> str:
    parts = urlsplit(text)
    of_web = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    if not of_web or parts.query:
        raise ValueError("must be an http or https address such as https://example.org")
    return text.rstrip("/")


def _mail_server(text: str) -> Secret:
    parts = urlsplit(text)
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.port == 0:
        raise ValueError("must be an address such as smtp://user:password@host:587")
    return Secret(text)


def data_folder() -> Path:
    """Return the user's data folder for this program."""
    from platformdirs import user_data_path  # not needed where a database is named

    return user_data_path("changewire", appauthor=False)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What can be configured. docs/operating.md has a line for each; a test keeps it so."""

    database_url: str = _setting(
        "SQLAlchemy address of the database: sqlite:///… or postgresql+psycopg://…",
        made=lambda: f"sqlite:///{data_folder() / 'changewire.db'}",
    )
    database_may_lose_writes: bool = _setting(
        "Open a PostgreSQL whose settings let a crash lose what was acknowledged.",
        default=False,
        read=_yes_or_no,
    )
    site_url: str = _setting(
        "The public address; links, cookies and mails are built from it alone.",
        default="http://127.0.0.1:8080",
        read=_address,
    )
    allowed_hosts: tuple[str, ...] = _setting(
        "Further Host names to answer to, besides the site's and loopback; commas.",
        default=(),
        read=_names,
    )
    secret_key: Secret | None = _setting(
        "Signs CSRF tokens; made once and kept beside the database when unset.",
        read=_long_secret(LEAST_OF_A_KEY),
    )
    smtp_url: Secret | None = _setting(
        "smtp://user:password@host:587, or smtps:// for TLS from the start; "
        "without it mails are files in the outbox.",
        read=_mail_server,
    )
    mail_from: str = _setting("The sender of mails.", default="Changewire <changewire@localhost>")
    outbox: Path = _setting(
        "The folder that mails are written to without an SMTP server.",
        made=lambda: data_folder() / "outbox",
        read=Path,
    )
    fetch_allow: tuple[Network, ...] = _setting(
        "Networks that may be fetched although they are not public; commas.",
        default=(),
        read=_networks,
    )
    fetch_proxy: str | None = _setting("Proxy for fetching: http://host:port.", read=_address)
    github_token: Secret | None = _setting("Token for the GitHub releases API.", read=_secret)
    github_api: str = _setting(
        "Base address of the GitHub API.", default="https://api.github.com", read=_address
    )
    api_url: str | None = _setting(
        "The address that the reader and the tool interface ask; the site's if unset.",
        read=_address,
    )
    api_key: Secret | None = _setting(
        "The API key that the reader and the tool interface send.", read=_secret
    )
    trusted_proxies: tuple[Network, ...] = _setting(
        "Networks whose X-Forwarded-For counts; commas.", default=(), read=_networks
    )
    metrics_token: Secret | None = _setting(
        "Who sends it as a bearer token may read /metrics from elsewhere.",
        read=_long_secret(16),
    )
    otlp_endpoint: str | None = _setting(
        "Where traces go, as OTLP over HTTP: http://127.0.0.1:4318.", read=_address
    )
    log: str | None = _setting(
        "Log format: console on a terminal, else json.", read=_one_of("console", "json")
    )
    log_level: str = _setting(
        "The least important lines that are logged.",
        default="info",
        read=_one_of("debug", "info", "warning", "error"),
    )

    @property
    def key_to_send(self) -> str | None:
        """The API key for the reader and the tool interface; an empty one is none."""
        return (self.api_key.get_secret_value() or None) if self.api_key is not None else None

    @property
    def site_host(self) -> str:
        """The host name of the site."""
        return urlsplit(self.site_url).hostname or ""


def load_settings() -> Settings:
    """Read the settings; raise WrongSettings with a clear line for each wrong one."""
    given = _given()
    read: dict[str, Any] = {}
    wrong: list[str] = []
    for each in fields(Settings):
        text = given.get(each.name)
        if not text:  # an empty one is none
            continue
        try:
            read[each.name] = each.metadata["read"](text)
        except ValueError as error:
            wrong.append(f"CHANGEWIRE_{each.name.upper()}: {error}")
    if wrong:
        raise WrongSettings("\n".join(wrong))
    return Settings(**read)


def set_unless_given(name: str, text: str) -> None:
    """Set a setting for this process and those that it starts, unless the operator has set it."""
    if name not in _given():
        os.environ[f"{PREFIX}{name}".upper()] = text


def misspelled() -> list[str]:
    """Return a line for each variable that is no setting and whose name is near to one."""
    known = [each.name for each in fields(Settings)]
    unknown = sorted(_given().keys() - {*known, OF_A_COMMAND})
    if not unknown:
        return []
    from difflib import get_close_matches  # nobody else needs it

    return [
        f"There is no setting {PREFIX.upper()}{name.upper()}, so it changes nothing. "
        f"Did you mean {PREFIX.upper()}{near.upper()}?"
        for name in unknown
        for near in get_close_matches(name, known, n=1, cutoff=NEAR)
    ]


def _given() -> dict[str, str]:
    """Return what the environment and the .env file say, by the names of settings."""
    return {**_in_file(Path(".env")), **_ours(os.environ)}


def _in_file(file: Path) -> dict[str, str]:
    if not file.is_file():
        return {}
    from dotenv import dotenv_values

    return _ours({name: text or "" for name, text in dotenv_values(file).items()})


def _ours(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that are ours by the names of settings; empty ones say nothing."""
    lowered = {name.lower(): text for name, text in variables.items() if text}
    return {
        name.removeprefix(PREFIX): text for name, text in lowered.items() if name.startswith(PREFIX)
    }


def secret_key(settings: Settings) -> str:
    """Return the key that signs CSRF tokens; make and keep one beside the data when unset.

    Raises WrongSettings where it cannot be kept.
    """
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    file = _secret_key_file(settings)
    try:
        if not file.exists():
            _write_once(file, secrets.token_urlsafe(48))
        key = _written(file)
    except OSError as error:
        raise WrongSettings(
            f"CHANGEWIRE_SECRET_KEY is not set, and {file} cannot keep one: {error.strerror}."
        ) from error
    if len(key) < LEAST_OF_A_KEY:
        raise WrongSettings(f"{file} holds no key; remove it, and another one is made.")
    return key


def _write_once(file: Path, text: str) -> None:
    """Write a file that only its owner may read, unless another process was first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as made:
                made.write(text)
        except OSError:  # such as a full disk
            file.unlink()
            raise


def _written(file: Path) -> str:
    """Return a key; another process may have made its file and not have written it yet."""
    for _ in range(50):
        key = file.read_text().strip()
        if len(key) >= LEAST_OF_A_KEY:
            break
        time.sleep(0.02)
    return key


def _secret_key_file(settings: Settings) -> Path:
    if settings.database_url.startswith("sqlite:///"):
        return Path(settings.database_url.removeprefix("sqlite:///")).with_suffix(".secret")
    return data_folder() / "changewire.secret"
