"""Logs: structlog to stderr, for people on a terminal and as JSON elsewhere."""

import json
import logging
import re
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO, cast

import orjson
import structlog

from handlers.http.request_ids import NoteRequest, current_request_id

TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # locals hold secrets
)
SECRET = re.compile(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}")
REDACTED = "cw_[redacted]"
NOISY = {
    **dict.fromkeys(("httpx2", "httpcore2", "connexion", "alembic"), logging.WARNING),
    **dict.fromkeys(("granian.access", "procrastinate"), logging.WARNING),
    # While the database is away they tell of each attempt, with tracebacks; we say it in a line.
    "psycopg.pool": logging.ERROR,
    "procrastinate.utils": logging.CRITICAL,
}
"""Loggers of libraries, and from which level on they are heard."""


class StderrOfNow:
    """Standard error as it is when a line is written, for loggers that live longer than it."""

    def write(self, text: str) -> int:
        """Write text."""
        return sys.stderr.write(text)

    def flush(self) -> None:
        """Let the text be seen."""
        sys.stderr.flush()


def set_up_logs(form: str | None, level: str) -> None:
    """Send structlog and the standard library's logs to stderr in one form.

    Ours are written at once, without the standard library's detours: there is a line for each
    request.
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
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", StderrOfNow())),
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
    """Write a line of JSON; what JSON has no form for as Python shows it."""
    try:
        return orjson.dumps(event, default=repr, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:  # half a character, or a number of more than 64 bits
        return json.dumps(event, default=repr)


def request_lines(form: str | None, level: str) -> NoteRequest | None:
    """Return what writes the line of a request; None where the logger does it as well.

    It is written for each request. The same line of JSON takes a logger three times as long.
    """
    if _is_console(form) or _number(level) > logging.INFO:
        return None
    return _write_request


def _write_request(*, method: str, path: str, status: int | None, milliseconds: float) -> None:
    event: dict[str, Any] = {
        "method": method,
        "path": SECRET.sub(REDACTED, path),
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
    """Name the request that a line is about, if it is about one."""
    request_id = current_request_id.get(None)
    if request_id is not None:
        event["request_id"] = request_id
    return event


def without_keys(
    _logger: Any, _name: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace every API key in a log line; the last step before it is written."""
    return {name: _redacted(value) for name, value in event.items()}


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return SECRET.sub(REDACTED, value)
    if isinstance(value, dict):
        return {name: _redacted(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(each) for each in value]
    return value
