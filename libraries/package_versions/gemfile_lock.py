"""Gemfile.lock: the gems that it locks."""

import re
from collections.abc import Iterator
from typing import Final

from package_versions.component import LONGEST_NAME, Component, repository_in, short_version

_GEM: Final = re.compile(r" {4}(?P<name>[\w.-]+) \((?P<version>[^)-]*+)[^)]*\)", re.ASCII)
_REMOTE: Final = re.compile(r"  remote: (?P<address>\S+)")


def is_gemfile_lock(text: str) -> bool:
    """Tell whether a text is a Gemfile.lock."""
    return re.search(r"^(?:GEM|GIT|PATH)$", text, re.MULTILINE) is not None


def read_gemfile_lock(text: str) -> Iterator[Component]:
    """Yield the gems of a Gemfile.lock; those of a git section have its repository."""
    section, repository = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith(" "):
            section, repository = line.strip(), None
        elif remote := _REMOTE.fullmatch(line):
            repository = repository_in(remote["address"]) if section == "GIT" else None
        elif section != "PATH" and (gem := _GEM.fullmatch(line)):
            version = short_version(gem["version"])
            yield Component(
                "gem", gem["name"][:LONGEST_NAME], repository, version=version, line=number
            )
