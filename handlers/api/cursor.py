"""Cursors into the log of changes, as text that callers keep (docs/decisions/0041).

A cursor is a change number in 16 hexadecimal digits. Every one that the contract's pattern allows
is a place in the log. Nothing about it is secret, and it never runs out.
"""

from typing import Final

_DIGITS: Final = 16


def cursor_of(number: int) -> str:
    """Return the cursor after the change with this number."""
    return f"{number:0{_DIGITS}x}"


def number_of(cursor: str) -> int:
    """Return the number of the change that a cursor comes after."""
    return int(cursor, 16)
