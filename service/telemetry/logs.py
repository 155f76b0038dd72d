"""Logs: structlog to stderr, for people on a terminal and as JSON elsewhere."""

import json
import logging
import re
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog

from handlers.http.request_ids import NoteRequest, current_request_id

TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # locals hold secrets
)
SECRET = re.compile(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}")
REDACTED = "cw_[redacted]"
PRIVATE_ADDRESS = re.compile(r"/private/[^/\s?]+")
REDACTED_ADDRESS = "/private/[redacted]"
NOISY = {
    **dict.fromkeys(("httpx2", "httpcore2", "connexion", "alembic"), logging.WARNING),
    **dict.fromkeys(("granian.access", "procrastinate"), logging.WARNING),
    # While the database is away they log each attempt with a traceback; we log one line.
    "psycopg.pool": logging.ERROR,
    "procrastinate.utils": logging.CRITICAL,
}
"""Loggers of libraries and the lowest level that is logged of each."""


class StderrLogger:
    """Write lines to the present ``sys.stderr``, which may be replaced while loggers are cached."""

    def msg(self, line: str) -> None:
        """Write a line; structlog calls it under the name of the level."""
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()

    debug = info = warning = error = critical = exception = msg


def set_up_logs(form: str | None, level: str) -> None:
    """Send structlog and the standard library's logs to stderr in one form.

    Lines of structlog bypass the standard library, because every request writes one.
    """
    console, number = _is_console(form), _number(level)
    shared: list[Any] = [
        with_request_id,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last = _for_people() if console else [TRACEBACKS, without_keys, _as_json]
    structlog.configure(
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: StderrLogger(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for noisy, least in NOISY.items():
        logging.getLogger(noisy).setLevel(max(number, least))


def _is_console(form: str | None) -> bool:
    return form == "console" or (form is None and sys.stderr.isatty())


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _for_people() -> list[Any]:
    plainly = structlog.dev.plain_traceback
    colors = sys.stderr.isatty()
    return [without_keys, structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plainly)]


def _as_json(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> str:
    """Write a line of JSON; use repr() for values that JSON cannot hold."""
    try:
        return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # half a character, or a number of more than 64 bits
        return json.dumps(event, default=repr)


def request_lines(form: str | None, level: str) -> NoteRequest | None:
    """Return a function that logs a request as JSON; None if the logger has to do it.

    It takes a third of the logger's time, for a line that every request writes.
    """
    if _is_console(form) or _number(level) > logging.INFO:
        return None
    return _write_request


def _write_request(*, method: str, path: str, status: int | None, milliseconds: float) -> None:
    event: dict[str, Any] = {
        "method": method,
        "path": without_secrets(path),
        "status": status,
        "milliseconds": milliseconds,
        "event": "request",
    }
    with_request_id(None, "info", event)
    event["level"] = "info"
    event["timestamp"] = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    sys.stderr.write(_as_json(None, "info", event) + "\n")


def with_request_id(
    _logger: Any, _name: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Add the request id to a line that is written while a request is handled."""
    request_id = current_request_id.get(None)
    if request_id is not None:
        event["request_id"] = request_id
    return event


def without_keys(
    _logger: Any, _name: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace every API key, and the token of every private address, in a log line."""
    return {name: _redacted(value) for name, value in event.items()}


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {name: _redacted(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(item) for item in value]
    return value


def without_secrets(text: str) -> str:
    """Replace every API key in a text, and the token of every private address."""
    return PRIVATE_ADDRESS.sub(REDACTED_ADDRESS, SECRET.sub(REDACTED, text))
