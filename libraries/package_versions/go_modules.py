"""go.mod: required modules, their replacements, and exclusions."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from package_versions.component import (
    LONGEST_NAME,
    Component,
    Named,
    repository_in,
    short_version,
    unread,
)

_COMMENT: Final = re.compile(r"(?:^|\s)//.*$")
_WORD: Final = re.compile(r'"[^"]*"|`[^`]*`|=>|[^\s"`]+')
_VERSION: Final = re.compile(r"v\d[\w.+-]*", re.ASCII)
_LOCAL: Final = re.compile(r"\.{1,2}(?:[/\\]|$)|/|[A-Za-z]:[/\\]")


class _Line(NamedTuple):
    number: int
    verb: str
    words: list[str]


class _Place(NamedTuple):
    """The replacement of a module: another module, or a path."""

    module: str
    version: str | None
    line: int


_Module = tuple[str, str | None]
"""A module and the version that is meant, None for all."""


def is_go_mod(text: str) -> bool:
    """Tell whether a text is a go.mod."""
    return re.search(r"^module\s+\S+\s*(?://.*)?$", text, re.MULTILINE) is not None


def read_go_mod(text: str) -> Iterator[Named]:
    """Yield what a go.mod requires, with its replacements, as the go command would take it."""
    lines = list(_lines(text))
    replaced = dict(filter(None, (_replacement(line) for line in lines)))
    excluded = {tuple(it.words) for it in lines if it.verb == "exclude"}
    for line in lines:
        if line.verb == "require" and len(line.words) == 2 and _VERSION.fullmatch(line.words[1]):
            yield _required(line, replaced, is_excluded=tuple(line.words) in excluded)


def _lines(text: str) -> Iterator[_Line]:
    """Yield the directives of a file, those in blocks by the verb of their block."""
    block = ""
    for number, raw in enumerate(text.splitlines(), 1):
        words = [word.strip('"`') for word in _WORD.findall(_COMMENT.sub("", raw))]
        if words[-1:] == ["("]:
            block = words[0]
        elif words[:1] == [")"]:
            block = ""
        elif words:
            yield _Line(number, block or words[0], words if block else words[1:])


def _replacement(line: _Line) -> tuple[_Module, _Place] | None:
    """Return what ``replace old [v1] => new [v2]`` says."""
    if line.verb != "replace" or "=>" not in line.words:
        return None
    arrow = line.words.index("=>")
    old, new = line.words[:arrow], line.words[arrow + 1 :]
    if len(old) not in (1, 2) or len(new) not in (1, 2):
        return None
    of_new = new[1] if len(new) == 2 else None
    return (old[0], old[1] if len(old) == 2 else None), _Place(new[0], of_new, line.number)


def _required(line: _Line, replaced: dict[_Module, _Place], *, is_excluded: bool) -> Named:
    module, version = line.words
    place = replaced.get((module, version)) or replaced.get((module, None))
    if place is None:
        return _module(module, None if is_excluded else version, line.number)
    if _LOCAL.match(place.module):
        reason = f"replaced by the local path {place.module}"
        return unread(f"{module} {version}", reason[:LONGEST_NAME], line=place.line)
    return _module(place.module, place.version, place.line)


def _module(module: str, version: str | None, line: int) -> Component:
    repository = repository_in(module) if module.startswith("github.com/") else None
    return Component(
        "golang", module[:LONGEST_NAME], repository, version=short_version(version), line=line
    )
