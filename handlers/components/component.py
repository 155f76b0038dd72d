"""A part that a file names."""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

_GITHUB: Final = re.compile(
    r"(?:^|[/@.:+])github\.com[/:](?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})", re.ASCII
)
_PAGES: Final = {
    "npm": "https://www.npmjs.com/package/{}",
    "pypi": "https://pypi.org/project/{}/",
    "gem": "https://rubygems.org/gems/{}",
    "golang": "https://pkg.go.dev/{}",
    "cargo": "https://crates.io/crates/{}",
    "maven": "https://central.sonatype.com/artifact/{}",
}


class Unreadable(Exception):
    """A file names nothing that can be read. The message is one line that says why."""


@dataclass(frozen=True, slots=True, order=True)
class Component:
    """A package or repository: ``type`` and ``name`` as in a package URL.

    ``repository``: owner/name on GitHub in lower case, where the file says so; ``address``: the
    page that the file itself names.
    """

    type: str
    name: str
    repository: str | None = None
    address: str | None = None

    @property
    def page(self) -> str | None:
        """The page about it, at which a changelog may be found."""
        if self.repository is not None:
            return f"https://github.com/{self.repository}"
        page = _PAGES.get(self.type)
        named = quote(self.name.replace(":", "/"), safe="/@") if page else ""
        return self.address or (page.format(named) if page else None)


def repository_in(text: str) -> str | None:
    """Return the repository on GitHub that an address or module path names, in lower case."""
    found = _GITHUB.search(text[:500])
    if found is None:
        return None
    return f"{found['owner']}/{found['name'].removesuffix('.git')}".lower()
