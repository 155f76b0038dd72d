"""Marks around vendors' texts that no vendor can have written."""

from collections.abc import Callable, Iterable
from typing import Any

from service.terminal_escape import plain_lines
from service.tools.size_limit import compact


def cleaned(value: Any) -> Any:
    """Return a JSON value with plain texts (service/terminal_escape.py)."""
    if isinstance(value, str):
        return plain_lines(value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {plain_lines(name): cleaned(member) for name, member in value.items()}
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
