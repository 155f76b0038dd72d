"""What reading a page comes to, apart from how it is read: that loads far more."""

from dataclasses import dataclass
from typing import Final

from ingest.adapters.base import ParsedDocument

ANCHORS: Final = 30
"""Stored entries, the newest, that a page is compared with."""


@dataclass(frozen=True, slots=True)
class HtmlResult:
    """What a page came to.

    ``recipe`` is a new one as JSON, made because the page was redesigned. ``trouble`` says why
    the entries were not believed; the document then has none.
    """

    document: ParsedDocument
    recipe: str | None = None
    trouble: str | None = None
