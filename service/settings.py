"""Settings: environment variables that start with CHANGEWIRE_, or a .env file."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    SettingsConfigDict,
)

from handlers.http.allowances import UNITS
from ingest.scheduling.budget import A_DAY
from storage.engine.connections import (
    CONNECTIONS,
    LONGEST_QUEUE_S,
    WORKERS_CONNECTIONS,
    Connections,
)

PREFIX: Final = "CHANGEWIRE_"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
MIN_SECRET_KEY_LENGTH: Final = 32


class WrongSettings(Exception):
    """Invalid settings. The message has one line for each."""


def _split(text: str | tuple[object, ...]) -> tuple[object, ...]:
    """Split text at its commas; a value that is set in code is a tuple already."""
    if not isinstance(text, str):
        return text
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _networks(text: str | tuple[object, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(part, strict=False) for part in map(str, _split(text)))


def _lower(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.lower() for name in names)


def _check_address(text: str) -> str:
    parts = urlsplit(text)
    is_http = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    if not is_http or parts.query:
        raise ValueError("must be an http or https address such as https://example.org")
    return text.rstrip("/")


def _check_mail_server(address: SecretStr) -> SecretStr:
    parts = urlsplit(address.get_secret_value())
    if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.port == 0:
        raise ValueError("must be an address such as smtp://user:password@host:587")
    return address


def _check_page(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("must be an http or https address such as https://pay.example.org/all")
    return text


def _check_currency(text: str) -> str:
    if not (len(text) == 3 and text.isascii() and text.isalpha()):
        raise ValueError("must be the three letters of a currency, such as EUR (ISO 4217)")
    return text.upper()


def _check_text_file(path: Path) -> Path:
    try:
        path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError("the file is no text in UTF-8") from error
    return path


def _long_enough(secrets: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if any(len(secret) < MIN_SECRET_KEY_LENGTH for secret in secrets):
        raise ValueError(f"each must have at least {MIN_SECRET_KEY_LENGTH} characters")
    return secrets


def _at_least(length: int) -> AfterValidator:
    def check(secret: SecretStr) -> SecretStr:
        if len(secret) < length:
            raise ValueError(f"must have at least {length} characters")
        return secret

    return AfterValidator(check)


Address = Annotated[str, AfterValidator(_check_address)]
PageAddress = Annotated[str, AfterValidator(_check_page)]
TextFile = Annotated[Path, AfterValidator(_check_text_file)]
Secrets = Annotated[
    tuple[SecretStr, ...], NoDecode, BeforeValidator(_split), AfterValidator(_long_enough)
]
Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split), AfterValidator(_lower)]
Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_networks)]


def data_folder() -> Path:
    """Return the user's data folder for this program."""
    return user_data_path("changewire", appauthor=False)


class Settings(BaseSettings):
    """The settings. docs/operating.md explains each of them, which a test checks."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_file=".env", env_ignore_empty=True, extra="ignore", frozen=True
    )

    database_url: str = Field(
        default_factory=lambda: f"sqlite:///{data_folder() / 'changewire.db'}",
        description="SQLAlchemy address of the database: sqlite:///… or postgresql+psycopg://…",
    )
    database_may_lose_writes: bool = Field(
        default=False,
        description="Open a PostgreSQL whose settings let a crash lose what was acknowledged.",
    )
    database_connections: int | None = Field(
        default=None,
        ge=4,
        le=200,
        description="The most of a process to PostgreSQL; unset: 20 for a server, 6 for a worker.",
    )
    database_pooler: bool = Field(
        default=False,
        description="PostgreSQL is reached over a pooler in transaction mode, such as pgbouncer.",
    )
    site_url: Address = Field(
        default="http://127.0.0.1:8080",
        description="The public address; links, cookies and mails are built from it alone.",
    )
    allowed_hosts: Names = Field(
        default=(),
        description="Further Host names to answer to, besides the site's and loopback; commas.",
    )
    secret_key: Annotated[SecretStr, _at_least(MIN_SECRET_KEY_LENGTH)] | None = Field(
        default=None,
        description="Signs CSRF tokens; made once and kept beside the database when unset.",
    )
    webhook_keys: Secrets = Field(
        default=(),
        description="Seal the secrets of webhooks, the newest first; the secret key if unset.",
    )
    secret_key_before: Annotated[SecretStr, _at_least(MIN_SECRET_KEY_LENGTH)] | None = Field(
        default=None,
        description="The key until lately: what it signed is accepted, nothing is signed by it.",
    )
    smtp_url: Annotated[SecretStr, AfterValidator(_check_mail_server)] | None = Field(
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
    backups: Path | None = Field(
        default=None,
        description="The folder that backups are kept in, whose newest file /metrics tells of.",
    )
    bulk_folder: Path | None = Field(
        default=None,
        description="Where the daily file of /bulk is; unset: bulk, beside a SQLite database.",
    )
    keep_history: int | None = Field(
        default=None, ge=30, description="Days that old snapshots, diffs and revisions are kept."
    )
    currency: Annotated[str, AfterValidator(_check_currency)] = Field(
        default="USD", description="The currency of the prices, by its three letters (ISO 4217)."
    )
    checkout_starter: PageAddress | None = Field(
        default=None, description="Where the Starter plan is bought; without it people ask you."
    )
    checkout_all: PageAddress | None = Field(
        default=None, description="Where the All plan is bought; without it people ask you."
    )
    checkout_diffs: PageAddress | None = Field(
        default=None, description="Where the Diff API is bought; without it people ask you."
    )
    terms_file: TextFile | None = Field(
        default=None, description="Your terms, in Markdown: the page /terms."
    )
    privacy_file: TextFile | None = Field(
        default=None, description="What you do with data, in Markdown: the page /privacy."
    )
    contact_file: TextFile | None = Field(
        default=None, description="How you can be reached, in Markdown: the page /contact."
    )
    fetch_allow: Networks = Field(
        default=(),
        description="Networks that vendors may be fetched from although not public; commas.",
    )
    webhook_allow: Networks = Field(
        default=(),
        description="Networks that webhooks may reach although not public; commas.",
    )
    fetch_proxy: Address | None = Field(
        default=None, description="Proxy for fetching: http://host:port."
    )
    requests_a_day: float = Field(
        default=A_DAY,
        ge=1,
        le=48,
        description="The budget of requests to vendors, for a source and day on average.",
    )
    github_token: SecretStr | None = Field(
        default=None, description="Token for the GitHub releases API."
    )
    github_api: Address = Field(
        default="https://api.github.com", description="Base address of the GitHub API."
    )
    api_url: Address | None = Field(
        default=None,
        description="The API's address for the reader and the tool interface; unset: the site's.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="The API key that the reader and the tool interface send."
    )
    trusted_proxies: Networks = Field(
        default=(), description="Networks whose X-Forwarded-For counts; commas."
    )
    request_units: int = Field(
        default=UNITS,
        ge=1_000,
        description="What a key or an address may spend a minute; an ordinary request costs 1.",
    )
    metrics_token: Annotated[SecretStr, _at_least(16)] | None = Field(
        default=None,
        description="Who sends it as a bearer token may read /metrics; others only on loopback.",
    )
    otlp_endpoint: Address | None = Field(
        default=None, description="Where traces go, as OTLP over HTTP: http://127.0.0.1:4318."
    )
    require_jail: bool = Field(
        default=False,
        description="Read no document where the kernel lacks what jails its parser.",
    )
    log: Literal["console", "json"] | None = Field(
        default=None, description="Log format: console on a terminal, else json."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least important lines that are logged."
    )

    @property
    def bulk(self) -> Path:
        """The folder of the daily snapshot."""
        if self.bulk_folder is not None:
            return self.bulk_folder
        file = self.sqlite_file
        return (data_folder() if file is None else file.parent) / "bulk"

    @property
    def sqlite_file(self) -> Path | None:
        """The file of the database, where it is SQLite's."""
        scheme, _, file = self.database_url.partition(":///")
        return Path(file) if scheme == "sqlite" else None

    @property
    def connections(self) -> Connections:
        """How this process connects to PostgreSQL."""
        return Connections(self.database_connections or CONNECTIONS, pooler=self.database_pooler)

    @property
    def workers_connections(self) -> Connections:
        """How a worker does: with few, as its threads are fetching or parsing most of the time."""
        return Connections(
            self.database_connections or WORKERS_CONNECTIONS,
            pooler=self.database_pooler,
            longest_wait=LONGEST_QUEUE_S,
        )

    @property
    def key_to_send(self) -> str | None:
        """The API key for the reader and the tool interface."""
        return None if self.api_key is None else self.api_key.get_secret_value()

    @property
    def site_host(self) -> str:
        """The host name of the site."""
        return urlsplit(self.site_url).hostname or ""

    @property
    def is_public(self) -> bool:
        """Whether others than this machine are meant to reach the site."""
        return self.site_host not in LOOPBACK


def load_settings() -> Settings:
    """Read the settings; raise WrongSettings with a clear line for each wrong one."""
    try:
        return Settings()
    except ValidationError as error:
        raise WrongSettings("\n".join(map(_message, error.errors()))) from None


def _message(error: ErrorDetails) -> str:
    """Say what is wrong with a setting, without its value, which may be a secret."""
    reason = error["ctx"]["error"] if error["type"] == "value_error" else error["msg"]
    return f"{PREFIX}{str(error['loc'][0]).upper()}: {reason}"
