"""The only place that reads the clock; everything else gets the time as an argument."""

from datetime import UTC, datetime


def clock() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
