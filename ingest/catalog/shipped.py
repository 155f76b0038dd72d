"""The data files of this package."""

import csv
from functools import cache
from importlib.resources import files


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
