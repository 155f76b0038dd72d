"""Times as people type them: 7d, 12h, 2026-11-01, 2026-11-01T09:30:00+01:00."""

import re
from datetime import UTC, datetime, timedelta

_AGE = re.compile(r"([0-9]{1,6})([mhdw])")
_UNITS = {
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}


def parse_since(text: str, *, now: datetime) -> datetime:
    """Return the time that a text means, with a time zone; UTC where it names none.

    Raises ValueError with a message for the person who typed it.
    """
    age = _AGE.fullmatch(text.strip())
    try:
        if age is not None:
            return now - int(age[1]) * _UNITS[age[2]]
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{text!r} is no time: write 90m, 12h, 7d or 2w, or a time such as 2026-11-01"
            " or 2026-11-01T09:30:00Z"
        ) from error


def shown(instant: str) -> str:
    """Return a time of the API, RFC 3339 in UTC, to the minute."""
    return f"{instant[:10]} {instant[11:16]}"
