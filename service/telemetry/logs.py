"""Logs: structlog to stderr, for people on a terminal and as JSON elsewhere."""

import logging
import re
import sys
from contextlib import suppress
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


class Lines(structlog.WriteLogger):
    """Writes lines to a file; one that cannot be written is lost, and nothing else."""

    def msg(self, message: str) -> None:
        """Write a line."""
        with suppress(OSError):
            super().msg(message)

    debug = info = warning = error = critical = msg


def set_up_logs(form: str | None, level: str) -> None:
    """Send structlog and the standard library's logs to stderr in one form."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if form == "console" or (form is None and sys.stderr.isatty()):
        plainly, colors = structlog.dev.plain_traceback, sys.stderr.isatty()
        form_of: Any = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plainly)
    else:
        form_of = structlog.processors.JSONRenderer()
        plain = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)  # no secrets
        shared.append(structlog.processors.ExceptionRenderer(plain))
    last = [form_of, lambda _logger, _name, line: without_secrets(line)]
    structlog.configure(  # past the standard library's logging, which takes twice as long
        processors=[*shared, *last],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: Lines(sys.stderr),
    )
    handler = logging.StreamHandler(sys.stderr)
    last.insert(0, ProcessorFormatter.remove_processors_meta)
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=shared, processors=last))
    logging.basicConfig(handlers=[handler], level=number, force=True)
    for noisy, least in NOISY.items():
        logging.getLogger(noisy).setLevel(max(number, least))


def without_secrets(text: str) -> str:
    """Replace every API key in a text, and the token of every private address."""
    for secret, instead in SECRETS:
        text = secret.sub(instead, text)
    return text
