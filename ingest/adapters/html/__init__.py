"""Entries of changelog pages that have no feed (docs/decisions/0016).

``parse_page`` is the adapter. ``read_page`` gives the same document together with the
strategy and the structure that were used. Everything is a pure function of the bytes:
no clock, no network, nothing on the page is ever run.
"""

from ingest.adapters.html.reader import PageResult, parse_page, read_page
from ingest.adapters.html.recipe import Recipe

__all__ = ["PageResult", "Recipe", "parse_page", "read_page"]
