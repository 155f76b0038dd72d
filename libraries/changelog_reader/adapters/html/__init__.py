"""Entries of changelog pages that have no feed (docs/decisions/0016).

``parse_page`` is the adapter. Everything is a pure function of the bytes: no clock, no network,
nothing on the page is ever run.
"""

from changelog_reader.adapters.html.reader import parse_page
from changelog_reader.adapters.html.recipe import Recipe

__all__ = ["Recipe", "parse_page"]
