"""Parsing of html sources in a child process, with repair of pages that were redesigned.

A page is parsed as usual, and entries that are stored under other links keep their ids. If the
result has too little in common with the stored entries, they are searched on the page: where they
are found, a recipe is made for the new structure. Where they are not, the result is accepted only
if all of its entries are dated after the stored ones: a busy vendor may have filled the page since
the last check.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Final

from ingest.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from ingest.adapters.html import Recipe, parse_page
from ingest.adapters.html.anchors import placed, title_key
from ingest.adapters.html.candidate import analyse_page
from ingest.adapters.html.dates import DateHabits
from ingest.adapters.html.page import load_page
from ingest.adapters.html.repair import FEWEST_ANCHORS, Repaired, needs_repair, repair
from ingest.adapters.html_result import HtmlResult
from ingest.pipeline.identity import identify
from ingest.sandbox.parser_pool import contained

_ZONES: Final = timedelta(hours=36)  # a date without a time may be a day off in another zone


def read_known_page(
    body: bytes,
    address: str,
    content_type: str | None,
    recipe: str | None,
    known: Sequence[KnownEntry],
) -> HtmlResult:
    """Parse a page with the newest stored entries as anchors; fails with UnreadableDocument only.

    ``recipe`` is the source's own, as JSON.
    """
    return contained(partial(_read, body, address, content_type, recipe, known))


def _read(
    body: bytes,
    address: str,
    content_type: str | None,
    recipe: str | None,
    known: Sequence[KnownEntry],
) -> HtmlResult:
    own_recipe = None if recipe is None else Recipe.from_json(json.loads(recipe))
    document = parse_page(body, address=address, content_type=content_type, recipe=own_recipe)
    compared = known[: len(document.entries)] if document.entries else known
    if not needs_repair(document, compared):
        return HtmlResult(replace(document, entries=with_known_ids(document.entries, known)))
    repaired = repair(body, address=address, content_type=content_type, known=known)
    if isinstance(repaired, Repaired):
        new_recipe = json.dumps(repaired.recipe.as_json(), sort_keys=True)
        return HtmlResult(replace(document, entries=repaired.entries), recipe=new_recipe)
    is_redesign = _left_out(document, known, body, address, content_type) >= FEWEST_ANCHORS
    if document.entries and are_newer(document.entries, known) and not is_redesign:
        return HtmlResult(document)
    return HtmlResult(replace(document, entries=()), trouble=repaired.reason)


def _left_out(
    document: ParsedDocument,
    known: Sequence[KnownEntry],
    body: bytes,
    address: str,
    content_type: str | None,
) -> int:
    """Count the stored entries whose titles the page shows, but not as entries."""
    analysis = analyse_page(load_page(body, address=address, content_type=content_type))
    keys = {title_key(entry.title, analysis.habits) for entry in document.entries}
    shown = placed(known, analysis)
    return sum(
        each.id in shown and title_key(each.title, analysis.habits) not in keys for each in known
    )


def are_newer(entries: Sequence[ParsedEntry], known: Sequence[KnownEntry]) -> bool:
    """Tell whether every entry that is not stored is dated after the newest stored one."""
    if not known:
        return True
    newest = max(each.published_at for each in known)
    titles = {each.title for each in known}
    return all(
        entry.title in titles
        or (entry.published_at is not None and entry.published_at >= newest - _ZONES)
        for entry in entries
    )


def with_known_ids(
    entries: Sequence[ParsedEntry], known: Sequence[KnownEntry]
) -> tuple[ParsedEntry, ...]:
    """Return a page's entries; stored ones that would be taken for new have their stored id.

    Pages give no ids, and a redesign changes links and how titles are written: an entry is then
    known by its title and its time, where nothing else on the page is the stored one.
    """
    if not known:
        return tuple(entries)
    identified = identify(entries, known, first_seen_at=known[0].published_at)
    unknown = {id(each.entry) for each in identified if each.is_new}
    claimed = {each.id for each in identified if not each.is_new}
    habits = DateHabits()
    free = {
        (title_key(each.title, habits), each.published_at): each.id
        for each in known
        if each.id not in claimed
    }

    def with_id(entry: ParsedEntry) -> ParsedEntry:
        if id(entry) not in unknown or entry.vendor_id or entry.published_at is None:
            return entry
        known_id = free.pop((title_key(entry.title, habits), entry.published_at), None)
        return entry if known_id is None else replace(entry, vendor_id=known_id)

    return tuple(map(with_id, entries))
