"""Strict reading of what comes over the wire: numbers, JSON bodies, instants.

Lenient readers make two requests out of one: ``limit=1_0`` is 10 to Python and an error to
everybody else. What can be read in two ways is refused here, before anything else looks at it.
"""

import json
import re
from collections import Counter
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import orjson

from openapi.violations import printable
from openapi.vocabulary import Json

DEEPEST = 32
"""How deep a body may nest. No body of the contract goes deeper than two."""

MOST_TOKENS = 100_000
"""How many strings, commas and opening brackets a body may have; none that is valid has more."""

EARLIEST = datetime.min.replace(tzinfo=UTC)
LATEST = datetime.max.replace(tzinfo=UTC)

_TOKEN = re.compile(rb'"[^"]*"|[,\[{]')
_TOO_DEEP = f"nests deeper than {DEEPEST} levels"
_INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(?::(\d\d)(\.\d{1,9})?)?(?:[Zz]|([+-]\d\d):?(\d\d))", re.ASCII
)
_MOST_DIGITS = 25  # more than any bound of the contract has; keeps the conversion linear


class Unreadable(ValueError):
    """Bytes that cannot be read in exactly one way. The message is a rule, without a subject."""


def parse_integer(text: str) -> int:
    """Return the whole number that ``text`` writes plainly: ``5``, not ``+5``, ``05`` or ``5.0``.

    A number of more digits than any bound has is cut to the largest that are still read: it
    stays beyond every bound. Raises Unreadable for all other text.
    """
    if not _INTEGER.fullmatch(text):
        raise Unreadable("must be a whole number written like 20")
    return int(text[:_MOST_DIGITS])


def parse_json(body: bytes) -> Json:
    """Return the value that a JSON body spells (RFC 8259).

    Raises Unreadable for broken JSON or UTF-8, for NaN and infinite numbers, for half a
    surrogate pair, for a name given twice in one object, for nesting deeper than DEEPEST, and for
    more values than MOST_TOKENS allows.
    """
    if _has_too_many_tokens(body):
        raise Unreadable("has too many values")
    try:
        text = body.decode()
        orjson.loads(text)  # refuses what the standard library's reader lets through
        value: Json = json.loads(text, object_pairs_hook=_without_repeated_names)
    except UnicodeDecodeError:
        raise Unreadable("must be UTF-8") from None
    except orjson.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"cannot be read as JSON at {where}") from None
    except RecursionError:
        raise Unreadable(_TOO_DEEP) from None
    if _is_deeper(value, DEEPEST):
        raise Unreadable(_TOO_DEEP)
    return value


def _has_too_many_tokens(body: bytes) -> bool:
    """Count before anything is built: objects take many times the space and time of their text."""
    without_escapes = body.replace(rb"\\", b"").replace(rb"\"", b"")
    return any(islice(_TOKEN.finditer(without_escapes), MOST_TOKENS, None))


def _without_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise Unreadable(f"gives {printable(repeated)} more than once")
    return value


def _is_deeper(value: Any, levels: int) -> bool:
    inside = [value]
    for _ in range(levels):
        inside = [
            inner
            for value in inside
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return any(isinstance(value, dict | list) for value in inside)


def normal_time(text: str) -> str:
    """Return a date-time as clients print it in the form of RFC 3339; other text as it is.

    Small letters become capital ones, seconds that were left out 00, and +0200 becomes +02:00. A
    leap second is the end of its minute, so that nothing of the next second is before it.
    """
    match = _TIME.fullmatch(text)
    if match is None:
        return text
    day, minute, second, fraction, hours, minutes = match.groups()
    if second == "60":
        second, fraction = "59", ".999999"
    offset = f"{hours}:{minutes}" if hours else "Z"
    return f"{day}T{minute}:{second or '00'}{fraction or ''}{offset}"


def parse_instant(text: str) -> datetime:
    """Return the aware UTC time that an RFC 3339 date-time names, to the microsecond.

    A time that only its offset moves out of the years 1 to 9999 becomes the first or the last
    instant that can be held. Raises ValueError when ``text`` is no date-time with an offset.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("A date-time without an offset names no instant.")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return EARLIEST if moment.year == 1 else LATEST
