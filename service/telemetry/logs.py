"""Logs: structlog to stderr, for people on a terminal and as JSON elsewhere."""

import logging
import re
import sys
from typing import Any, Final

import structlog
from structlog.stdlib import ProcessorFormatter

SECRETS: Final = (
    (re.compile(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}"), "cw_[redacted]"),
    (re.compile(r'/private/[^/\s?"\\\x1b]+'), "/private/[redacted]"),
)
NOISY: Final = {
    **dict.fromkeys(("httpx2", "httpcore2", "connexion", "alembic"), logging.WARNING),
    **dict.fromkeys(("granian.access", "procrastinate"), logging.WARNING),
    # While the database is away they log each attempt with a traceback; we log one line.
    "psycopg.pool": logging.ERROR,
    "procrastinate.utils": logging.CRITICAL,
}
"""Loggers of libraries and the lowest level that is logged of each."""


def set_up_logs(form: str | None, level: str) -> None:
    """Send structlog and the standard library's logs to stderr in one form."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    renderers: list[Any]
    if form == "console" or (form is None and sys.stderr.isatty()):
        plainly, colors = structlog.dev.plain_traceback, sys.stderr.isatty()
        renderers = [structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plainly)]
    else:  # without locals, which hold secrets
        plain = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        renderers = [structlog.processors.ExceptionRenderer(plain)]
        renderers.append(structlog.processors.JSONRenderer())
    last: list[Any] = [
        ProcessorFormatter.remove_processors_meta,
        *renderers,
        lambda _logger, _name, line: without_secrets(line),
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for noisy, least in NOISY.items():
        logging.getLogger(noisy).setLevel(max(number, least))


def without_secrets(text: str) -> str:
    """Replace every API key in a text, and the token of every private address."""
    for secret, instead in SECRETS:
        text = secret.sub(instead, text)
    return text
