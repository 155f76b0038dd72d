"""Access to parsed JSON of unknown shape."""

from typing import Any


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects of an array; nothing of what is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def members(value: object) -> dict[str, Any]:
    """Return an object; an empty one for what is none."""
    return value if isinstance(value, dict) else {}
