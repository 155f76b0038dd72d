"""Marks around vendors' texts that no vendor can have written."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from service.tools.size_limit import compact

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(value: Any) -> Any:
    """Return a JSON value as it is; only what is no Unicode text is replaced by U+FFFD."""
    if isinstance(value, str):
        return value if value.isascii() else _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [sendable(item) for item in value]
    if isinstance(value, dict):
        return {sendable(name): sendable(member) for name, member in value.items()}
    return value


def fenced(items: Iterable[object], nonce: Callable[[], str]) -> str:
    """Return items as lines of JSON between marks.

    ``nonce`` makes a word that nobody can guess; a word that occurs in the data is not used.
    """
    data = "\n".join(compact(item) for item in items)
    word = nonce()
    while word in data:
        word = nonce()
    return f"<<<data {word}\n{data}\ndata {word}>>>"
