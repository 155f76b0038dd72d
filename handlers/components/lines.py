"""Files of lines: requirements.txt, go.mod, Gemfile.lock."""

import re
from collections.abc import Iterator
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from handlers.components.component import Component, Unreadable, repository_in

_GO: Final = re.compile(r"(?:require\s+)?(?P<module>[\w.~/-]+)\s+v\d[\w.+-]*(?:\s*//.*)?", re.ASCII)
_GEM: Final = re.compile(r" {4}(?P<name>[\w.-]+) \([^)]*\)", re.ASCII)
_REMOTE: Final = re.compile(r"  remote: (?P<address>\S+)")
_HASH: Final = re.compile(r"(?:\s+#.*|\s+--\S.*|\s*\\)$")


def read_requirements(text: str) -> Iterator[Component]:
    """Yield the projects of a requirements.txt, by their names of PEP 508."""
    for number, raw in enumerate(text.splitlines(), 1):
        line = _HASH.sub("", raw).strip()
        if not line or line.startswith(("#", "-")):
            continue
        try:
            needed = Requirement(line)
        except InvalidRequirement:
            raise Unreadable(f"Line {number} is no requirement that can be read.") from None
        repository = repository_in(needed.url) if needed.url else None
        yield Component("pypi", canonicalize_name(needed.name), repository)


def is_go_mod(text: str) -> bool:
    """Tell whether a text is a go.mod."""
    return re.search(r"^module\s+\S+\s*(?://.*)?$", text, re.MULTILINE) is not None


def read_go_mod(text: str) -> Iterator[Component]:
    """Yield the modules of a go.mod; a path on github.com names its repository."""
    for line in text.splitlines():
        found = _GO.fullmatch(line.strip())
        if found is not None and "." in found["module"].partition("/")[0]:
            module = found["module"]
            is_github = module.startswith("github.com/")
            yield Component("golang", module, repository_in(module) if is_github else None)


def is_gemfile_lock(text: str) -> bool:
    """Tell whether a text is a Gemfile.lock."""
    return re.search(r"^(?:GEM|GIT|PATH)$", text, re.MULTILINE) is not None


def read_gemfile_lock(text: str) -> Iterator[Component]:
    """Yield the gems of a Gemfile.lock; those of a git section have its repository."""
    repository = None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            repository = None
        elif remote := _REMOTE.fullmatch(line):
            repository = repository_in(remote["address"])
        elif gem := _GEM.fullmatch(line):
            yield Component("gem", gem["name"], repository)
