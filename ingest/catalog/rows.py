"""The columns of a catalog, the limits of its cells, and the shipped files of this package."""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

HEADER = (
    "slug",
    "vendor",
    "name",
    "kind",
    "homepage",
    "changelog_url",
    "adapter_type",
    "feed_url",
    "tags",
)
"""The columns that a catalog needs, in this order. ``tags`` are separated by semicolons."""

FURTHER = ("tier", "aliases", "basis", "status")
"""The columns that may follow, any of them and in any order; ``aliases`` are written as tags are.

``tier``: what the source stands for, ``aliases``: other names that people use. ``basis`` says how
sure the address is, ``status`` what was found when it was asked for.
"""

BASES = ("seen", "knowledge", "doubtful")
"""How an address came into the catalog: it was in public documents, it is known as a long-lived
official address, or it is to be looked at first."""

SLUG = re.compile(r"[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9._-]*")
"""A slug is ``<vendor>.<product>`` in lower case (specification 2.1); match it in full.

The vendor has no dot, so the first dot ends it. Neither comma nor plus: slugs are listed
in a query parameter, where a comma separates them and a plus means a space.
"""

SLUG_LIMIT = 120  # characters
VENDOR = re.compile(r"[a-z0-9][a-z0-9-]*")
"""A vendor's identifier; match it in full."""

VENDOR_LIMIT = 80  # characters
NAME_LIMIT = 200  # characters
TAG_LIMIT = 5  # of a source
ALIAS_LIMIT = 20  # of a source
ALIAS_LENGTH = 100  # characters


@dataclass(frozen=True, slots=True)
class BadRow:
    """One fault of one row.

    ``line`` counts from 1, the header included; a row of several lines is named by its first.
    ``slug`` is what is in that column, cut and made printable, or empty. ``reason`` is a
    sentence that says what to do.
    """

    line: int
    slug: str
    reason: str


def shipped_catalog() -> str:
    """Return the text of the shipped catalog, as `read_catalog` takes it."""
    return files(__package__).joinpath("sources.csv").read_text(encoding="utf-8")


def shipped_packages() -> str:
    """Return the text of the shipped file of packages, as `read_packages` takes it."""
    return files(__package__).joinpath("packages.csv").read_text(encoding="utf-8")


@cache
def canonical_tags() -> dict[str, str]:
    """Return the canonical tags (specification 2.1) and what each of them covers."""
    text = files(__package__).joinpath("tags.csv").read_text(encoding="utf-8")
    return {row["tag"]: row["description"] for row in csv.DictReader(text.splitlines())}
