"""Regular expressions that are data under ``patterns/``, compiled when they are first searched for.

There are hundreds and an entry needs a few; compiling all takes longer than classifying dozens of
entries.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"(?<!\(\?P)<([a-z]+)>")


class LazyPattern:
    """A regular expression, in which ``<name>`` stands for one of ``parts``."""

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    sub: Callable[..., str]

    def __init__(
        self, pattern: str, parts: Mapping[str, str] | None = None, flags: re.RegexFlag = re.NOFLAG
    ) -> None:
        self._written = pattern, parts, flags

    @property
    def written_out(self) -> str:
        """Return the regular expression with its parts written out."""
        pattern, parts, _ = self._written
        return pattern if parts is None else expanded(pattern, parts)

    def __getattr__(self, name: str) -> Any:
        """Compile, and keep the methods of the compiled pattern as our own."""
        if name not in LazyPattern.__annotations__:
            raise AttributeError(name)
        compiled = re.compile(self.written_out, self._written[2])
        for method in LazyPattern.__annotations__:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)


def expanded(pattern: str, parts: Mapping[str, str]) -> str:
    """Return a pattern with its parts written out."""
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern.replace("[^.;]", r"(?:[^.;]|\.\b)")  # the stop in "1.2" ends nothing


def written(name: str) -> dict[str, Any]:
    """Return the content of one file of patterns."""
    return tomllib.loads((_PATTERNS / f"{name}.toml").read_text(encoding="utf-8"))


def patterns_of(sections: Mapping[str, str]) -> dict[str, LazyPattern]:
    """Return patterns by their names, searched in any case."""
    return {name: LazyPattern(pattern, flags=re.IGNORECASE) for name, pattern in sections.items()}
