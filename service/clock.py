"""The only place that reads the clock, and times as people write them: 7d, 12h, 2026-11-01."""

import re
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

_AGE: Final = re.compile(r"([0-9]{1,6})([mhdw])")
clock: Final = partial(datetime.now, UTC)
"""Return the current time in UTC."""
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_since(text: str, *, now: datetime) -> datetime:
    """Return the time that a text means, with a time zone; UTC by default.

    Raises ValueError with a message for the person who wrote it.
    """
    age = _AGE.fullmatch(text.strip())
    try:
        if age is not None:
            return now - timedelta(**{_UNITS[age[2]]: int(age[1])})
        moment = datetime.fromisoformat(text.strip())
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{text!r} is no time: write 90m, 12h, 7d or 2w, or a time such as 2026-11-01"
            " or 2026-11-01T09:30:00Z"
        ) from error
