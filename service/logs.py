"""Logs: structlog to stderr, for people on a terminal and as JSON elsewhere."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

TRACEBACKS = structlog.processors.ExceptionRenderer(
    structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # locals hold secrets
)
SECRET = re.compile(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}")


def set_up_logs(form: str | None, level: str) -> None:
    """Send structlog and the standard library's logs to stderr in one form."""
    console = form == "console" or (form is None and sys.stderr.isatty())
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[Any] = (
        [
            structlog.dev.ConsoleRenderer(
                colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
            )
        ]
        if console
        else [TRACEBACKS, structlog.processors.JSONRenderer()]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *last[:-1],
                without_keys,
                last[-1],
            ],
        )
    )
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for noisy in ("httpx2", "httpcore2", "connexion", "alembic", "granian.access", "procrastinate"):
        logging.getLogger(noisy).setLevel(max(number, logging.WARNING))


def without_keys(
    _logger: Any, _name: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace every API key in a log line; the last step before it is written."""
    return {name: _redacted(value) for name, value in event.items()}


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return SECRET.sub("cw_[redacted]", value)
    if isinstance(value, dict):
        return {name: _redacted(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_redacted(each) for each in value]
    return value
