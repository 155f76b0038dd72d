"""The result of parsing a page."""

from dataclasses import dataclass
from typing import Final

from changelog_reader.adapters.base import ParsedDocument

ANCHORS: Final = 30
"""Stored entries, the newest, that a page is compared with."""


@dataclass(frozen=True, slots=True)
class HtmlResult:
    """A parsed page.

    ``recipe`` is a new recipe as JSON, made because the page was redesigned. ``trouble`` says why
    the entries were rejected; the document then has none.
    """

    document: ParsedDocument
    recipe: str | None = None
    trouble: str | None = None
