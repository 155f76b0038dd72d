"""Vendors' words between marks that they cannot have written."""

from collections.abc import Callable, Iterable
from typing import Any

from service.terminal_escape import plain_lines
from service.tools.size_limit import compact


def cleaned(value: Any) -> Any:
    """Return a JSON value without anything unseen in its texts (service/terminal_escape.py)."""
    if isinstance(value, str):
        return plain_lines(value)
    if isinstance(value, list):
        return [cleaned(each) for each in value]
    if isinstance(value, dict):
        return {plain_lines(name): cleaned(each) for name, each in value.items()}
    return value


def fenced(items: Iterable[object], nonce: Callable[[], str]) -> str:
    """Return items as lines of JSON between marks.

    ``nonce`` makes a word that nobody can know before the answer is written; one that is found in
    the data all the same is not used.
    """
    data = "\n".join(compact(each) for each in items)
    word = nonce()
    while word in data:
        word = nonce()
    return f"<<<data {word}\n{data}\ndata {word}>>>"
