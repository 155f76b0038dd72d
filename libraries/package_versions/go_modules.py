"""go.mod: required modules, their replacements, and exclusions."""

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from package_versions.component import Component, Named, repository_in, short_version, unread

_COMMENT: Final = re.compile(r"//.*$")
_WORD: Final = re.compile(r'"[^"]*"|`[^`]*`|=>|[^\s"`]+')
_VERSION: Final = re.compile(r"v\d[\w.+-]*", re.ASCII)
_LOCAL: Final = re.compile(r"\.{1,2}(?:[/\\]|$)|/|[A-Za-z]:[/\\]")


_Line: TypeAlias = tuple[int, str, list[str]]
"""The number of a line, its directive, and its words."""
_Module: TypeAlias = tuple[str, str | None]
"""A module or path and the version that is meant, None for all."""
_Place: TypeAlias = tuple[_Module, int]
"""The replacement of a module, and its line."""


def read_go_mod(text: str) -> Iterator[Named]:
    """Yield what a go.mod requires, with its replacements, as the go command would take it."""
    lines = list(_lines(text))
    replaced = dict(filter(None, (_replacement(line) for line in lines)))
    excluded = {tuple(words) for _, verb, words in lines if verb == "exclude"}
    for line in lines:
        _, verb, words = line
        if verb == "require" and len(words) == 2 and _VERSION.fullmatch(words[1]):
            yield _required(line, replaced, is_excluded=tuple(words) in excluded)
        elif verb == "require":
            yield unread(" ".join(words), "no module with a version", line=line[0])


def _lines(text: str) -> Iterator[_Line]:
    """Yield the directives of a file, those in blocks by the verb of their block."""
    block = ""
    for number, raw in enumerate(text.split("\n"), 1):
        words = [word.strip('"`') for word in _WORD.findall(_COMMENT.sub("", raw))]
        if words[-1:] == ["("]:
            block = words[0]
        elif words[:1] == [")"]:
            block = ""
        elif words:
            yield number, block or words[0], words if block else words[1:]


def _replacement(line: _Line) -> tuple[_Module, _Place] | None:
    """Return what ``replace old [v1] => new [v2]`` says."""
    number, verb, words = line
    if verb != "replace" or "=>" not in words:
        return None
    arrow = words.index("=>")
    old, new = words[:arrow], words[arrow + 1 :]
    if len(old) not in (1, 2) or len(new) not in (1, 2):
        return None
    return _as_module(old), (_as_module(new), number)


def _as_module(words: list[str]) -> _Module:
    return words[0], words[1] if len(words) == 2 else None


def _required(line: _Line, replaced: dict[_Module, _Place], *, is_excluded: bool) -> Named:
    number, _, (module, version) = line
    place = replaced.get((module, version)) or replaced.get((module, None))
    if place is None:
        return _module(module, None if is_excluded else version, number)
    (other, of_other), at = place
    if _LOCAL.match(other):
        reason = f"replaced by the local path {other}"
        return unread(f"{module} {version}", reason, line=at)
    return _module(other, of_other, at)


def _module(module: str, version: str | None, line: int) -> Component:
    repository = repository_in(module) if module.startswith("github.com/") else None
    return Component("golang", module, repository, version=short_version(version), line=line)
