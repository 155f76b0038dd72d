"""Access to parsed JSON and XML of unknown shape."""

from typing import Any
from xml.etree.ElementTree import Element

from components.component import LONGEST_PURL


def dicts(value: object) -> list[dict[str, Any]]:
    """Return the objects of an array; nothing of what is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def members(value: object) -> dict[str, Any]:
    """Return an object; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def child_text(element: Element, name: str) -> str:
    """Return the text of a child."""
    child = next((child for child in element if local_name(child) == name), None)
    return "" if child is None else (child.text or "").strip()[:LONGEST_PURL]
