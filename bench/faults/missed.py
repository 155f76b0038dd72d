"""Faults that the suite does not find, each with the reason."""

REASONS: dict[str, str] = {}
