"""Settings: environment variables that start with CHANGEWIRE_, or a .env file."""

import os
import secrets
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

Network = IPv4Network | IPv6Network


class WrongSettings(Exception):
    """Settings that cannot be used. The message has one line for each."""


def _networks(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(
        ip_network(part.strip(), strict=False) for part in value.split(",") if part.strip()
    )


def _names(value: object) -> object:
    if not isinstance(value, str):
        return value
    return tuple(part.strip().lower() for part in value.split(",") if part.strip())


Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_networks)]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_names)]


def data_folder() -> Path:
    """Return the user's data folder for this program."""
    return user_data_path("changewire", appauthor=False)


class Settings(BaseSettings):
    """What can be configured. docs/operating.md has a line for each; a test keeps it so."""

    model_config = SettingsConfigDict(
        env_prefix="CHANGEWIRE_",
        env_file=".env",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    database_url: str = Field(
        default_factory=lambda: f"sqlite:///{data_folder() / 'changewire.db'}",
        description="SQLAlchemy address of the database: sqlite:///… or postgresql+psycopg://…",
    )
    database_may_lose_writes: bool = Field(
        default=False,
        description="Open a PostgreSQL whose settings let a crash lose what was acknowledged.",
    )
    site_url: str = Field(
        default="http://127.0.0.1:8080",
        description="The public address; links, cookies and mails are built from it alone.",
    )
    allowed_hosts: Names = Field(
        default=(),
        description="Further Host names to answer to, besides the site's and loopback; commas.",
    )
    secret_key: SecretStr | None = Field(
        default=None,
        min_length=32,
        description="Signs CSRF tokens; made once and kept beside the database when unset.",
    )
    smtp_url: SecretStr | None = Field(
        default=None,
        description="smtp://user:password@host:587, or smtps:// for TLS from the start; "
        "without it mails are files in the outbox.",
    )
    mail_from: str = Field(
        default="Changewire <changewire@localhost>", description="The sender of mails."
    )
    outbox: Path = Field(
        default_factory=lambda: data_folder() / "outbox",
        description="The folder that mails are written to without an SMTP server.",
    )
    fetch_allow: Networks = Field(
        default=(),
        description="Networks that may be fetched although they are not public; commas.",
    )
    fetch_proxy: str | None = Field(
        default=None, description="Proxy for fetching: http://host:port."
    )
    github_token: SecretStr | None = Field(
        default=None, description="Token for the GitHub releases API."
    )
    github_api: str = Field(
        default="https://api.github.com", description="Base address of the GitHub API."
    )
    api_url: str | None = Field(
        default=None,
        description="The address that the reader and the tool interface ask; the site's if unset.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The API key that the reader and the tool interface send."
    )
    trusted_proxies: Networks = Field(
        default=(), description="Networks whose X-Forwarded-For counts; commas."
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Who sends it as a bearer token may read /metrics from elsewhere.",
    )
    otlp_endpoint: str | None = Field(
        default=None,
        description="Where traces go, as OTLP over HTTP: http://127.0.0.1:4318.",
    )
    log: Literal["console", "json"] | None = Field(
        default=None, description="Log format: console on a terminal, else json."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least important lines that are logged."
    )

    @field_validator("site_url", "github_api", "api_url", "otlp_endpoint")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError("must be an http or https address such as https://example.org")
        return value.rstrip("/")

    @field_validator("smtp_url")
    @classmethod
    def _is_a_mail_server(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            parts = urlsplit(value.get_secret_value())
            if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.port == 0:
                raise ValueError("must be an address such as smtp://user:password@host:587")
        return value

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
    try:
        return Settings()
    except ValidationError as error:
        lines = [_in_words(str(each["loc"][0]), str(each["msg"])) for each in error.errors()]
        raise WrongSettings("\n".join(lines)) from error


def _in_words(name: str, fault: str) -> str:
    return f"CHANGEWIRE_{name.upper()}: {fault.removeprefix('Value error, ')}"


def secret_key(settings: Settings) -> str:
    """Return the key that signs CSRF tokens; make and keep one beside the data when unset."""
    if settings.secret_key is not None:
        return settings.secret_key.get_secret_value()
    file = _secret_key_file(settings)
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return file.read_text().strip()
    with os.fdopen(handle, "w") as stream:
        stream.write(made := secrets.token_urlsafe(48))
    return made


def _secret_key_file(settings: Settings) -> Path:
    if settings.database_url.startswith("sqlite:///"):
        return Path(settings.database_url.removeprefix("sqlite:///")).with_suffix(".secret")
    return data_folder() / "changewire.secret"
