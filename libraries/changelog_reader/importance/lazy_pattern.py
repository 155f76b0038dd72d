"""Regular expressions, data under ``patterns/``, compiled when needed: of hundreds, a few are."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

_Parts: TypeAlias = Mapping[str, str] | None
_PATTERNS = Path(__file__).with_name("patterns")
_PART = re.compile(r"(?<!\(\?P)<([a-z]+)>")
_SIGN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]", re.DOTALL)  # of a pattern, not in a set


class LazyPattern:
    """A regular expression, in which ``<name>`` stands for one of ``parts``."""

    search: Callable[..., re.Match[str] | None]
    match: Callable[..., re.Match[str] | None]
    fullmatch: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]
    sub: Callable[..., str]

    def __init__(self, pattern: str, parts: _Parts = None, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.source = pattern, parts, flags

    def alternatives(self) -> list["LazyPattern"]:
        """Return the patterns of which this one matches what the first of them does."""
        pattern, parts, flags = self.source
        depth, ends = 0, [-1]
        for sign in _SIGN.finditer(pattern):
            depth += (sign[0] == "(") - (sign[0] == ")")
            ends += [sign.start()] * (sign[0] == "|" and not depth)
        each = (pattern[at + 1 : to] for at, to in pairwise([*ends, len(pattern)]))
        return [LazyPattern(it, parts, flags) for it in each]

    def __getattr__(self, name: str) -> Any:
        """Compile, and keep the methods of the compiled pattern as our own."""
        if name not in LazyPattern.__annotations__:
            raise AttributeError(name)
        compiled = re.compile(expanded(*self.source[:2]), self.source[2])
        for method in LazyPattern.__annotations__:
            setattr(self, method, getattr(compiled, method))
        return getattr(self, name)


def expanded(pattern: str, parts: _Parts) -> str:
    """Return a pattern with its parts written out, if it has any."""
    if parts is None:
        return pattern
    while _PART.search(pattern):
        pattern = _PART.sub(lambda part: parts[part[1]], pattern)
    return pattern.replace("[^.;]", r"(?:[^.;]|\.\b)")  # the stop in "1.2" ends nothing


def written(name: str) -> dict[str, Any]:
    """Return the content of one file of patterns."""
    return tomllib.loads((_PATTERNS / f"{name}.toml").read_text(encoding="utf-8"))


def patterns_of(sections: Mapping[str, str]) -> dict[str, LazyPattern]:
    """Return patterns by their names, searched in any case."""
    return {name: LazyPattern(pattern, flags=re.IGNORECASE) for name, pattern in sections.items()}
