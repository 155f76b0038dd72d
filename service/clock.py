"""The only clock of the program; everything else is told the time."""

from datetime import UTC, datetime


def clock() -> datetime:
    """Return the time."""
    return datetime.now(UTC)
