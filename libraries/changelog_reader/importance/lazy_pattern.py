"""Regular expressions that are compiled when they are first searched for.

There are hundreds and an entry needs a few; compiling all takes longer than classifying dozens of
entries.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any


class LazyPattern:
    """A regular expression. ``write`` gives its text, once it is needed."""

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    sub: Callable[..., str]

    def __init__(self, write: Callable[[], str], flags: re.RegexFlag = re.NOFLAG) -> None:
        self._write = write
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile, and keep the methods of the compiled pattern as our own."""
        if name not in LazyPattern.__annotations__:
            raise AttributeError(name)
        compiled = re.compile(self._write(), self._flags)
        for method in LazyPattern.__annotations__:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)
