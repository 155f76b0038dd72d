"""Removes from vendors' texts what a terminal would obey and what a reader would not see.

A terminal obeys control characters (ECMA-48: C0, DEL and C1, which is a second way to begin an
escape sequence); marks of direction make text look like other text (Unicode TR 36); tags and
supplementary variation selectors carry messages that only programs see.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

_ALLOWED_FORMATS = frozenset("\u200c\u200d")  # joiners: Persian, Indic scripts and emoji need them
_REMOVED = frozenset({"Cf", "Cs"})
_SPACES = frozenset({"Cc", "Zl", "Zp", "Zs"})
_REMOVED_RANGE = range(0xE0000, 0xE1000)  # tags, selectors, and what is reserved for more of them
_RUN_OF_SPACE = re.compile(r"[ ]+")


def plain(text: str) -> str:
    """Return text as one line: with spaces for controls and without invisible marks."""
    return _RUN_OF_SPACE.sub(" ", "".join(map(_shown, text))).strip()


def plain_json(value: object, default: Callable[[Any], str] | None = None) -> str:
    """Return JSON with every invisible character escaped: the same value, safe to print."""
    return escape_invisible(json.dumps(value, indent=2, ensure_ascii=False, default=default))


def escape_invisible(text: str) -> str:
    """Return the text of a JSON document with invisible characters escaped, line breaks kept."""
    invisible = (char for char in set(text) - {"\n"} if not _is_visible(char))
    return text.translate({ord(char): json.dumps(char)[1:-1] for char in invisible})


def _shown(character: str) -> str:
    if _is_visible(character):
        return character
    return "" if unicodedata.category(character) not in _SPACES else " "


def _is_visible(character: str) -> bool:
    if character.isascii():
        return character.isprintable()
    if character in _ALLOWED_FORMATS:
        return True
    if ord(character) in _REMOVED_RANGE:
        return False
    return unicodedata.category(character) not in _REMOVED | _SPACES
