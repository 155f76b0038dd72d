"""Parsing of html sources in a child process, with repair of pages that were redesigned.

A page is parsed as usual. If the result has too little in common with the stored entries, they are
searched on the page: where they are found, a recipe is made for the new structure. Where they are
not, the result is accepted only if all of its entries are dated after the stored ones: a busy
vendor may have filled the page since the last check.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from changelog_reader.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from changelog_reader.adapters.html import Recipe, parse_page
from changelog_reader.adapters.html.anchors import lines_of_entries, title_key
from changelog_reader.adapters.html.candidate import analyse_page
from changelog_reader.adapters.html.page import load_page
from changelog_reader.adapters.html.repair import FEWEST_ANCHORS, needs_repair, repair
from ingest.sandbox.parsing import contained, within_budget

_ZONES: Final = timedelta(hours=36)  # a date without a time may be a day off in another zone


@dataclass(frozen=True, slots=True)
class HtmlResult:
    """A parsed page.

    ``recipe`` is a new recipe as JSON, made because the page was redesigned. ``trouble`` says why
    the entries were rejected; the document then has none.
    """

    document: ParsedDocument
    recipe: str | None = None
    trouble: str | None = None


@contained
def parse_page_in_child(
    body: bytes,
    address: str,
    content_type: str | None,
    recipe: str | None,
    stored: Sequence[KnownEntry],
) -> HtmlResult:
    """Parse a page with the newest stored entries as anchors; fails with UnreadableDocument only.

    ``recipe`` is the source's own, as JSON.
    """
    page = _parse(body, address, content_type, recipe, stored)
    return replace(page, document=within_budget(page.document))


def _parse(
    body: bytes,
    address: str,
    content_type: str | None,
    recipe: str | None,
    stored: Sequence[KnownEntry],
) -> HtmlResult:
    own_recipe = None if recipe is None else Recipe.from_json(json.loads(recipe))
    document = parse_page(body, address=address, content_type=content_type, recipe=own_recipe)
    compared = stored[: len(document.entries)] if document.entries else stored
    if not needs_repair(document, compared):
        return HtmlResult(document)
    repaired = repair(body, address=address, content_type=content_type, stored_entries=stored)
    if not isinstance(repaired, str):
        new_recipe, entries = repaired
        as_text = json.dumps(new_recipe.as_json(), sort_keys=True)
        return HtmlResult(replace(document, entries=entries), recipe=as_text)
    is_redesign = _count_left_out(document, stored, body, address, content_type) >= FEWEST_ANCHORS
    if document.entries and are_newer(document.entries, stored) and not is_redesign:
        return HtmlResult(document)
    return HtmlResult(replace(document, entries=()), trouble=repaired)


def _count_left_out(
    document: ParsedDocument,
    stored: Sequence[KnownEntry],
    body: bytes,
    address: str,
    content_type: str | None,
) -> int:
    """Count the stored entries whose titles the page shows, but not as entries."""
    analysis = analyse_page(load_page(body, address=address, content_type=content_type))
    keys = {title_key(entry.title, analysis.habits) for entry in document.entries}
    shown = lines_of_entries(stored, analysis)
    return sum(
        entry.id in shown and title_key(entry.title, analysis.habits) not in keys
        for entry in stored
    )


def are_newer(entries: Sequence[ParsedEntry], stored: Sequence[KnownEntry]) -> bool:
    """Return whether every entry that is not stored is dated after the newest stored one."""
    if not stored:
        return True
    newest = max(entry.published_at for entry in stored)
    titles = {entry.title for entry in stored}
    return all(
        entry.title in titles
        or (entry.published_at is not None and entry.published_at >= newest - _ZONES)
        for entry in entries
    )
