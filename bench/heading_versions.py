"""Versions in the headings of repositories' changelogs, against the plainest reading of them.

    python bench/heading_versions.py FOLDER

The folder has git directories ``OWNER+NAME/repo``. Of each changelog at the top the headings with a
dotted number are read. What differs from the first such number is printed, to be judged by reading.
"""

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from packages.repositories import git

from versions.parsing import version_of_title

MOST = 400
_LOG = re.compile(
    r"(?:CHANGE(?:LOG|S)|HISTORY|NEWS|RELEASE[-_]?NOTES)(?:\.(?:md|markdown|rst|txt))?",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"\]\([^)]*\)|[\[\]*`]")
_NUMBER = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")


def main() -> None:
    """Print the shares and what differs."""
    documents = same = 0
    others = []
    for home in sorted(Path(sys.argv[1]).glob("*+*/repo")):
        found = [heading for heading in headings(home) if re.search(r"\d\.\d", heading)]
        if len(found) < 3:
            continue
        documents += 1
        for heading in found[:MOST]:
            read = version_of_title(heading)
            number = _NUMBER.search(_MARKUP.sub("", heading))
            if read and number and number[0].rstrip(".-") == read.version:
                same += 1
            else:
                others.append((home.parent.name, read.version if read else "none", heading[:100]))
    total = same + len(others)
    print(f"{same:,} of {total:,} headings of {documents} changelogs are read as they begin.")
    for name, version, heading in others:
        print(f"{name}: {version} of {heading!r}")


def headings(home: Path) -> list[str]:
    """Return the headings of a repository's changelog, each once."""
    names = filter(_LOG.fullmatch, git(home, "ls-tree", "--name-only", "HEAD").splitlines())
    name = next(names, None)
    return [] if name is None else [*dict.fromkeys(_lines(git(home, "show", f"HEAD:{name}")))]


def _lines(text: str) -> Iterator[str]:
    for line, below in pairwise([*text.splitlines(), ""]):
        if found := re.match(r"#{1,3}\s+(.+)", line):
            yield found[1].strip(" #")
        elif re.fullmatch(r"[=\-~^]{3,}\s*", below) and line.strip() and not line.startswith("#"):
            yield line.strip()


if __name__ == "__main__":
    main()
