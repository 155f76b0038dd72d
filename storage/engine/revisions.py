"""Which programs may use a database: its revision's name says it (docs/decisions/0048)."""

import re
from typing import Final

REVISION: Final = re.compile(r"(\d{4})(?:_from_(\d{4}))?", re.ASCII)
"""The number of a revision and, where it has one, that of the oldest program for it."""

MOVED: Final = "0034"
"""The one revision from before the first schema that is upgraded (storage.migrations.from_0034)."""


def is_compatible(program: str, database: str | None) -> bool:
    """Return True if a program may use a database, each at a revision; None is an empty database.

    It may at its own revision and at every newer one, unless that one's name asks for a program
    newer than this.
    """
    if program == database:
        return True
    mine, its = REVISION.fullmatch(program), REVISION.fullmatch(database or "")
    if mine is None or its is None:
        return False
    return its[1] > mine[1] and (its[2] or "") <= mine[1]
