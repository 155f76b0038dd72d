"""Reading a pasted file, whatever it is."""

from typing import Final

from handlers.components.component import Component, Unreadable
from handlers.components.documents import read_json, read_xml
from handlers.components.lines import (
    is_gemfile_lock,
    is_go_mod,
    read_gemfile_lock,
    read_go_mod,
    read_requirements,
)

MOST: Final = 5000


def read_components(document: bytes) -> list[Component]:
    """Return what a file names, each once and sorted. Raises Unreadable with one clear line.

    The format is told by the content: a pasted text has no name.
    """
    try:
        text = document.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("This is no text in UTF-8.") from None
    stripped = text.strip()
    if not stripped:
        raise Unreadable("Paste a file or choose one first.")
    found = sorted(set(_components(stripped)), key=lambda each: (each.name.lower(), each.type))
    if not found:
        raise Unreadable("This file names nothing that could be followed.")
    if len(found) > MOST:
        raise Unreadable(f"This file names more than {MOST:,} parts; take a smaller one.")
    return found


def _components(text: str) -> list[Component]:
    try:
        if text[0] in "{[":
            return read_json(text)
        if text[0] == "<":
            return read_xml(text)
    except RecursionError:
        raise Unreadable("This file is nested too deeply.") from None
    if is_go_mod(text):
        return list(read_go_mod(text))
    if is_gemfile_lock(text):
        return list(read_gemfile_lock(text))
    return list(read_requirements(text))
