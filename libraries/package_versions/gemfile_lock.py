"""Gemfile.lock: the gems that it locks."""

import re
from collections.abc import Iterator
from typing import Final

from package_versions.component import (
    ELSEWHERE,
    LOCAL,
    Component,
    Named,
    repository_in,
    short_version,
    unread,
)

_GEM: Final = re.compile(r" {4}(?P<name>[\w.-]+) \((?P<version>[^)-]*+)[^)]*\)", re.ASCII)
_ADDRESS: Final = re.compile(r"://|@")
_REMOTE: Final = re.compile(r"  remote: (?P<address>\S+)")


def read_gemfile_lock(text: str) -> Iterator[Named]:
    """Yield the gems of a Gemfile.lock; those of a git section have its repository.

    Of a section with several registries nobody can tell which one a gem is from.
    """
    section, remotes = "", list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.startswith(" "):
            section, remotes = line, []
        elif remote := _REMOTE.fullmatch(line):
            remotes.append(remote["address"].rstrip("/"))
        elif gem := _GEM.fullmatch(line):
            address = "".join(remotes[:1])
            if section == "PATH" or (address and not _ADDRESS.search(address)):
                yield unread(line, LOCAL, line=number)
                continue
            repository, version = repository_in(address), short_version(gem["version"])
            is_placed = repository is None and (section == "GIT" or len(remotes) > 1)
            registry = ELSEWHERE if is_placed else None
            yield Component(
                "gem", gem["name"], repository, version, registry, address or None, line=number
            )
        elif line.startswith("    ") and line[4:5].strip():
            yield unread(line, "not a valid gem", line=number)
