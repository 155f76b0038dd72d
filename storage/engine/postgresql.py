"""PostgreSQL: its engine, checks at startup, and readable errors."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import URL, Engine, create_engine, event, text
from sqlalchemy.engine import Connection
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

OLDEST_VERSION: Final = 14
LONGEST_STATEMENT_MS: Final = 30_000
LONGEST_WAIT_FOR_LOCK_MS: Final = 10_000  # as long as SQLite's busy timeout
LONGEST_IDLE_TRANSACTION_MS: Final = 60_000  # a stuck process must not hold rows for ever
LONGEST_CONNECT_SECONDS: Final = 5
CONNECTIONS: Final = 20  # of a process at most; half of them are opened in a rush, closed after it
WORKERS_CONNECTIONS: Final = 6  # no thread of a worker holds one during a request or a parse
LONGEST_WAIT_SECONDS: Final = 5
LONGEST_QUEUE_SECONDS: Final = 60  # for a connection, where there are fewer than threads
OVER_A_POOLER: Final[dict[str, Any]] = {"prepare_threshold": None}
"""How to connect where a session is another one in each transaction: without startup options, and
without prepared statements, which pgbouncer before 1.21 does not know there."""
_BOUNDS: Final = {
    "statement_timeout": str(LONGEST_STATEMENT_MS),
    "lock_timeout": str(LONGEST_WAIT_FOR_LOCK_MS),
    "idle_in_transaction_session_timeout": str(LONGEST_IDLE_TRANSACTION_MS),
}
_OPTION: Final = re.compile(r"(?:-c\s*|--)([\w.]+)=([^\s'\\]+)")
PROMISES: Final = ("fsync", "full_page_writes", "synchronous_commit")
READING: Final = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
WRITING: Final = {"isolation_level": "READ COMMITTED"}

_MESSAGE_BY_CODE: Final = {  # PostgreSQL, appendix A: error codes
    "": "does not answer; check its server and CHANGEWIRE_DATABASE_URL.",
    "22001": "has no room for a text that long; shorten what was entered.",
    "25006": "can only be read: it is a standby; name the primary in CHANGEWIRE_DATABASE_URL.",
    "28000": "refuses this user; check the user in CHANGEWIRE_DATABASE_URL and pg_hba.conf.",
    "28P01": "refuses this user; check user and password in CHANGEWIRE_DATABASE_URL.",
    "3D000": "does not exist; make it: createdb --encoding=UTF8 --template=template0 NAME",
    "40P01": "ended a transaction that was in another's way; try again.",
    "42501": "does not let this user do that; make the user its owner.",
    "53100": "has no room left on its disk; make room and try again.",
    "53300": "has no connection left; raise max_connections or run fewer processes.",
    "55P03": "is locked by another program; wait until it is done, then try again.",
    "57014": f"took longer than {LONGEST_STATEMENT_MS // 1000} seconds for one statement.",
    "57P01": "is being stopped; try again when its server runs.",
    "57P03": "is starting or stopping; try again in a moment.",
}
_CODE_BY_TEXT: Final = (  # the driver gives no code for connections that fail
    ("password", "28P01"),
    ("pg_hba.conf", "28000"),
    ("role ", "28000"),
    ("too many clients", "53300"),
    ("connection slots", "53300"),
    ("starting up", "57P03"),
    ("shutting down", "57P03"),
    ("recovery mode", "57P03"),
    ("no space left", "53100"),
)


@dataclass(frozen=True, slots=True)
class Connections:
    """How a process connects. ``pooler``: over one that gives a connection for a transaction.

    ``longest_wait``: seconds that a thread waits for one of ``most``.
    """

    most: int = CONNECTIONS
    pooler: bool = False
    longest_wait: int = LONGEST_WAIT_SECONDS


DIRECT: Final = Connections()


def postgresql_engine(url: URL, connections: Connections) -> Engine:
    """Return an engine with bounded waits, which replaces broken connections.

    ``options`` in the address come after ours, so that an operator's bounds win. The time zone
    stays UTC, because some times are read as texts.
    """
    kept = (connections.most + 1) // 2
    engine = create_engine(
        url.difference_update_query(["options"]),
        pool_pre_ping=True,
        pool_size=kept,
        max_overflow=connections.most - kept,
        pool_timeout=connections.longest_wait,
        hide_parameters=True,  # errors are logged, values are not
        connect_args={
            "application_name": url.query.get("application_name", "changewire"),
            "connect_timeout": url.query.get("connect_timeout", LONGEST_CONNECT_SECONDS),
            "client_encoding": "utf8",
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": LONGEST_STATEMENT_MS,
        }
        | (OVER_A_POOLER if connections.pooler else {"options": _startup_options(url)}),
    )
    event.listen(engine, "connect", _replace_nul)
    if connections.pooler:
        event.listen(engine, "begin", _bind_transaction(_bounds(url)))
    return engine


def _bind_transaction(bounds: Mapping[str, str]) -> Callable[[Connection], None]:
    """Return what sets the bounds of a transaction that has begun, in one statement."""
    statement = "; ".join(f"SET LOCAL {name} = '{value}'" for name, value in bounds.items())

    def bind(connection: Connection) -> None:
        connection.exec_driver_sql(statement)

    return bind


def _replace_nul(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Write U+FFFD for the one character that PostgreSQL's texts cannot hold (its manual, 8.3)."""
    from storage.engine.text_without_nul import TextWithoutNul  # docs/decisions/0076: psycopg

    handle: Any = connection
    handle.adapters.register_dumper(str, TextWithoutNul)


def _startup_options(url: URL) -> str:
    ours = " ".join(f"-c {name}={value}" for name, value in _BOUNDS.items())
    return f"{ours} {_operators_options(url)} -c timezone=UTC"


def _bounds(url: URL) -> dict[str, str]:
    """Return the settings of a transaction: ours, and the operator's in the address.

    Raises ValueError for options that are no settings.
    """
    options = _operators_options(url)
    rest = _OPTION.sub("", options).strip()
    if rest:
        raise ValueError(
            f"over a pooler, options must be like -c statement_timeout=60s, not {rest}"
        )
    return _BOUNDS | dict(_OPTION.findall(options)) | {"timezone": "UTC"}


def _operators_options(url: URL) -> str:
    options = url.query.get("options", ())
    return " ".join([options] if isinstance(options, str) else options)


def lock_for_migration(connection: Connection, key: int) -> None:
    """Wait, however long it takes, until no other program migrates; then migrate unbounded."""
    for bound in ("statement_timeout", "lock_timeout"):
        connection.execute(text(f"SET LOCAL {bound} = 0"))
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": key})


def incompatibilities(connection: Connection) -> list[str]:
    """Return the reasons why a server or database cannot be used at all."""
    version = connection.execute(text("SHOW server_version_num")).scalar_one()
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    reasons = []
    if int(version) < OLDEST_VERSION * 10_000:
        reasons.append(f"PostgreSQL {OLDEST_VERSION} or newer is needed")
    if encoding != "UTF8":
        reasons.append(
            f"its encoding is {encoding}; make one that holds every script: "
            "createdb --encoding=UTF8 --template=template0 NAME"
        )
    return reasons


def unsafe_settings(connection: Connection) -> list[str]:
    """Return the settings under which a crash can lose what was acknowledged."""
    return [
        f"{name} is off: a crash can lose what was acknowledged"
        for name in PROMISES
        if connection.execute(text(f"SHOW {name}")).scalar_one() == "off"
    ]


def error_message(database: str, error: BaseException | None) -> str:
    """Return a sentence for the operator about what the driver raised."""
    fault = " ".join(str(error).split()) or "the connection was lost"
    code = getattr(error, "sqlstate", None)
    words = _MESSAGE_BY_CODE.get(code or _code_of(fault, database))
    if words is None:
        return f"The database {database} does not answer: {fault}"
    return f"The database {database} {words} ({fault})"


def _code_of(fault: str, database: str) -> str:
    if f'database "{database}" does not exist' in fault:
        return "3D000"
    lowered = fault.lower()
    return next((code for words, code in _CODE_BY_TEXT if words in lowered), "")
