"""Gemfile.lock: the gems that it locks."""

import re
from collections.abc import Iterator
from typing import Final

from package_versions.component import LOCAL, Component, Named, repository_in, short_version, unread

_GEM: Final = re.compile(r" {4}(?P<name>[\w.-]+) \((?P<version>[^)-]*+)[^)]*\)", re.ASCII)
_ADDRESS: Final = re.compile(r"://|@")
_REMOTE: Final = re.compile(r"  remote: (?P<address>\S+)")


def read_gemfile_lock(text: str) -> Iterator[Named]:
    """Yield the gems of a Gemfile.lock; those of a git section have its repository."""
    address = ""
    for number, line in enumerate(text.split("\n"), 1):
        if line and not line.startswith(" "):
            address = "." if line == "PATH" else ""
        elif remote := _REMOTE.fullmatch(line):
            address = address or remote["address"]
        elif gem := _GEM.fullmatch(line):
            name, version = gem["name"], short_version(gem["version"])
            is_local = address and not _ADDRESS.search(address)
            part = Component("gem", name, repository_in(address), version=version, line=number)
            yield unread(line, LOCAL, line=number) if is_local else part
        elif line.startswith("    ") and line[4:5].strip():
            yield unread(line, "no gem that can be read", line=number)
