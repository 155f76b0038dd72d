"""Settings: environment variables that start with CHANGEWIRE_, or a .env file."""

import os
import re
import sys
import unicodedata
from dataclasses import astuple
from difflib import get_close_matches
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import urlsplit

import structlog
from platformdirs import user_data_path
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    EnvSettingsSource,
    NoDecode,
    SettingsConfigDict,
)

from ingest.sandbox import jail
from ingest.scheduling.budget import A_DAY
from openapi.contract import UNITS
from service.addresses import (
    OFF,
    Address,
    Host,
    IndexAddress,
    MailServer,
    Network,
    PageAddress,
    Sender,
    SiteAddress,
)

log = structlog.get_logger(__name__)

PREFIX: Final = "CHANGEWIRE_"
LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
MIN_SECRET_KEY_LENGTH: Final = 32
OTHERS: Final = frozenset({"api_keys", "called_as"})
"""Variables that are read elsewhere: by changewire conformance, and by the script of a checkout."""
ORCHESTRATED: Final = re.compile(r"(\w+_)?(service_host|service_port(_\w+)?|port_\d+_\w+)")
"""Variables that Kubernetes sets for a service of our name."""
ENV_FILE: Final = ".env"
LONGEST_MESSAGE, LONGEST_VALUE = 300, 40
KINDS: Final = {bool: "1 or 0", int: "a whole number", float: "a number"}
LONGEST_PATH, LONGEST_NAME = 4_000, 255  # bytes
UNPRINTABLE: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode categories of control characters, of bytes that are not UTF-8, and of line ends."""


class WrongSettings(Exception):
    """Invalid settings. The message has one line for each."""

    exit_status = 2


def _split(text: str | tuple[object, ...]) -> tuple[object, ...]:
    """Split text at its commas; a value that is set in code is a tuple already."""
    if not isinstance(text, str):
        return text
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _check_token(secret: SecretStr) -> SecretStr:
    text = secret.get_secret_value()
    if not text.isascii() or " " in text:
        raise ValueError("must be ASCII characters without spaces, as it is sent in a header")
    return secret


def _check_currency(text: str) -> str:
    if not (len(text) == 3 and text.isascii() and text.isalpha()):
        raise ValueError("must be the three letters of a currency, such as EUR (ISO 4217)")
    return text.upper()


def _check_text_file(path: Path) -> Path:
    try:
        is_text = "\0" not in path.read_text(encoding="utf-8")
    except OSError as error:
        raise ValueError(f"the file cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise ValueError("the file is not UTF-8 text")
    return path


def _check_folder(path: Path) -> Path:
    if (
        len(os.fsencode(path)) > LONGEST_PATH
        or max(map(len, map(os.fsencode, path.parts))) > LONGEST_NAME
    ):
        raise ValueError("the name is too long")
    return path


def _at_least(length: int) -> AfterValidator:
    def check(secret: SecretStr) -> SecretStr:
        if len(secret) < length:
            raise ValueError(f"must have at least {length} characters")
        return secret

    return AfterValidator(check)


Folder = Annotated[Path, AfterValidator(_check_folder)]
TextFile = Annotated[Path, AfterValidator(_check_text_file)]
SecretKey = Annotated[SecretStr, _at_least(MIN_SECRET_KEY_LENGTH)]
Token = Annotated[SecretStr, AfterValidator(_check_token)]
Hosts = Annotated[tuple[Host, ...], NoDecode, BeforeValidator(_split)]
Networks = Annotated[tuple[Network, ...], NoDecode, BeforeValidator(_split)]


def data_folder() -> Path:
    """Return the user's data folder for this program."""
    return user_data_path("changewire", appauthor=False)


class Settings(BaseSettings):
    """The settings. docs/operating.md explains each of them, which a test checks."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding="utf-8-sig",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        validate_default=False,
    )

    database_url: str = Field(
        default_factory=lambda: f"sqlite:///{data_folder() / 'changewire.db'}", repr=False
    )
    database_may_lose_writes: bool = False
    database_connections: int | None = Field(default=None, ge=4, le=200)
    database_pooler: bool = False
    site_url: SiteAddress = "http://127.0.0.1:8080"
    allowed_hosts: Hosts = ()
    secret_key: SecretKey | None = None
    secret_key_before: SecretKey | None = None
    webhook_keys: Annotated[tuple[SecretKey, ...], NoDecode, BeforeValidator(_split)] = ()
    smtp_url: MailServer | None = None
    mail_from: Sender = "Changewire <changewire@localhost>"
    outbox: Folder = Field(default_factory=lambda: data_folder() / "outbox")
    backups: Folder | None = None
    bulk_folder: Folder | None = None
    keep_history: int | None = Field(default=None, ge=30)  # days
    currency: Annotated[str, AfterValidator(_check_currency)] = "USD"
    checkout_starter: PageAddress | None = None
    checkout_all: PageAddress | None = None
    checkout_diffs: PageAddress | None = None
    terms_file: TextFile | None = None
    privacy_file: TextFile | None = None
    contact_file: TextFile | None = None
    fetch_allow: Networks = ()
    webhook_allow: Networks = ()
    fetch_proxy: Address | None = None
    requests_a_day: float = Field(default=A_DAY, ge=1, le=48)
    github_token: Token | None = None
    github_api: Address = "https://api.github.com"
    package_index_url: IndexAddress = "https://api.deps.dev"
    api_url: Address | None = None
    api_key: Token | None = None
    trusted_proxies: Networks = ()
    request_units: int = Field(default=UNITS, ge=1_000)
    server_processes: int = Field(default=1, ge=1, le=64)  # that share request_units equally
    metrics_token: Annotated[Token, _at_least(16)] | None = None
    otlp_endpoint: Address | None = None
    require_jail: bool = False
    log: Literal["console", "json"] | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @model_validator(mode="before")
    @classmethod
    def drop_blank(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Take a value of white space alone for none."""
        return {name: it for name, it in values.items() if not isinstance(it, str) or it.strip()}

    @field_validator("*", mode="before")
    @classmethod
    def trim(cls, value: Any) -> Any:
        """Remove white space around a value; refuse control characters in it."""
        if not isinstance(value, str):
            return value
        text = value.strip()
        if not UNPRINTABLE.isdisjoint(map(unicodedata.category, text)):
            raise ValueError("has a control character or is not UTF-8")
        return text

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
    def package_index(self) -> str | None:
        """The address of the package index, None where names are not looked up."""
        return None if self.package_index_url == OFF else self.package_index_url

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
        """Return True if the site is meant for others than this machine."""
        return self.site_host not in LOOPBACK


def load_settings() -> Settings:
    """Read the settings; raise WrongSettings with a clear line for each wrong one."""
    _check_env_file()
    try:
        return Settings()
    except ValidationError as error:
        raise WrongSettings("\n".join(map(_message, error.errors()))) from None


def _check_env_file() -> None:
    """Raise WrongSettings for a file of settings that cannot be read."""
    file = Path(ENV_FILE).absolute()
    try:
        _check_text_file(file)
    except ValueError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise WrongSettings(f"{file}: {error}") from None


def use_temporary_folder(settings: Settings) -> None:
    """Let this process and its children keep temporary files beside the data.

    That is where no usual folder can be written, as in a container with a read-only root.
    """
    try:
        gettempdir()
    except FileNotFoundError:
        folder = (settings.sqlite_file or settings.outbox).parent
        folder.mkdir(parents=True, exist_ok=True)
        os.environ["TMPDIR"] = str(folder)


def settings_for_command() -> Settings:
    """Return the settings; warn of variables that nothing reads."""
    for line in unknown():
        sys.stderr.write(f"{line}\n")
    return load_settings()


def _message(error: ErrorDetails) -> str:
    """Return what is wrong with a setting, without its value where that may be a secret."""
    name, context = str(error["loc"][0]), error.get("ctx", {})
    reason = str(context.get("error", ""))[:LONGEST_MESSAGE]
    if not reason:
        allowed = context.get("expected") or _allowed(Settings.model_fields[name])
        reason = f"must be {allowed}, not {str(error['input'])[:LONGEST_VALUE]!r}"
    return f"{PREFIX}{name.upper()}: {reason}"


def _allowed(field: FieldInfo) -> str:
    """Return which numbers a setting takes, or which of two values."""
    types = field.annotation, *get_args(field.annotation)
    kind = next(words for each, words in KINDS.items() if each in types)
    bounds = " to ".join(str(bound) for each in field.metadata for bound in astuple(each))
    return f"{kind} {'from' if ' to ' in bounds else 'of at least'} {bounds}" if bounds else kind


def set_default(name: str, text: str) -> None:
    """Set a setting for this process and its children, unless the operator has set it."""
    if not (_variables().get(name) or "").strip():
        os.environ[f"{PREFIX}{name.upper()}"] = text


def unknown() -> list[str]:
    """Return a line for each variable that no part of the program reads."""
    return [
        f"{PREFIX}{name.upper()} is unknown and ignored.{_suggestion(name)}"
        for name, value in sorted(_variables().items())
        if name not in OTHERS and name not in Settings.model_fields
        if not ORCHESTRATED.fullmatch(name) and not (value or "").startswith(("tcp://", "udp://"))
    ]


def _suggestion(name: str) -> str:
    near = get_close_matches(name, Settings.model_fields, n=1, cutoff=0.65)
    return f" Did you mean {PREFIX}{near[0].upper()}?" if near else ""


def _variables() -> dict[str, str | None]:
    """Return our variables that are set, by their names in lower case without the prefix."""
    _check_env_file()
    prefix = PREFIX.lower()
    return {
        name.removeprefix(prefix): value
        for source in (EnvSettingsSource(Settings), DotEnvSettingsSource(Settings))
        for name, value in source.env_vars.items()
        if name.startswith(prefix)
    }


def check_jail(settings: Settings) -> None:
    """Warn of a jail with holes; raise WrongSettings where the operator requires a whole one."""
    missing = " and ".join(jail.missing_protections())
    if not missing:
        return
    if settings.require_jail:
        raise WrongSettings(
            f"CHANGEWIRE_REQUIRE_JAIL: this kernel or container does not offer {missing}; "
            "documents are not read without."
        )
    log.warning(
        "PARSERS RUN WITHOUT A WHOLE JAIL: a hostile document that takes over its parser could "
        "read files of this user; see docs/security.md",
        missing=missing,
    )
