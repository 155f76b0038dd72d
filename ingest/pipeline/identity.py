"""Identity: which entry an item of a document is, by the rules of docs/decisions/0015.

Pure functions of the parsed items and the stored entries. The same document and the same stored
entries always give the same ids, and every id once.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Final, NamedTuple

from changelog_reader.adapters.base import KnownEntry, ParsedEntry
from changelog_reader.adapters.html.anchors import title_key
from changelog_reader.adapters.html.dates import DateHabits
from changelog_reader.content.sanitizer import strip_controls
from ingest.pipeline.content_match import (
    canonical_url,
    content_hash,
    has_same_numbers,
    has_similar_title,
    match_by_content,
    match_edited,
    same_address,
    spellings,
)

LONGEST_ID: Final = 500
"""Characters of an id; a longer one is replaced by its SHA-256."""

_FEW: Final = 2
_STEP: Final = timedelta(milliseconds=1)  # between undated entries of one document


class IdentifiedEntry(NamedTuple):
    """An item with the id of its entry and the time that the entry is or stays published at."""

    id: str
    entry: ParsedEntry
    published_at: datetime
    is_new: bool


def identify(
    parsed: Sequence[ParsedEntry], stored_entries: Iterable[KnownEntry], *, first_seen_at: datetime
) -> list[IdentifiedEntry]:
    """Return the items in their order, each with its id; exact copies are left out.

    - An item that says what a stored entry says is that entry, whatever its id
      (``match_by_content``), and no other item takes that entry's id.
    - The vendor's id is the id. Where several items share it, the one at the stored url keeps
      it, or else the first; the others get a hash of id and url.
    - Without one, the id is a hash of url and date; without a url, of date and title.
    - Before an item becomes a new entry, it is compared with the stored entries that have its url
      (_is_same_entry). An entry that belongs to another item is not considered.
    - A stored entry keeps its ``published_at``; a new one without a date is as old as the
      moment it was first seen, a millisecond older than the one above it: so the vendor's
      order is kept.
    """
    stored = {entry.id: entry for entry in stored_entries}
    items = _without_copies(parsed)
    ids = _own_ids(items, stored)
    ids = _aliased(items, ids, stored)
    ids = _edited(items, ids, stored)
    return [
        IdentifiedEntry(
            id=id_,
            entry=entry,
            published_at=stored[id_].published_at
            if id_ in stored
            else entry.published_at or first_seen_at - place * _STEP,
            is_new=id_ not in stored,
        )
        for place, (id_, entry) in enumerate(zip(ids, items, strict=True))
    ]


def recognise(
    items: Sequence[IdentifiedEntry], stored: Iterable[KnownEntry]
) -> list[IdentifiedEntry]:
    """Return the entries of a page, those that are stored under other links with the stored ids.

    Pages have no ids, and a redesign changes links and the spelling of titles: an entry is then
    recognised by title and time, unless another entry of the page is the stored one.
    """
    claimed = {item.id for item in items if not item.is_new}
    habits = DateHabits()
    free = {
        (title_key(entry.title, habits), entry.published_at): entry.id
        for entry in stored
        if entry.id not in claimed
    }

    def recognised(item: IdentifiedEntry) -> IdentifiedEntry:
        if not item.is_new or item.entry.vendor_id or item.entry.published_at is None:
            return item
        id_ = free.pop((title_key(item.entry.title, habits), item.published_at), None)
        return item if id_ is None else item._replace(id=id_, is_new=False)

    return [recognised(item) for item in items]


def lookup_keys(
    parsed: Sequence[ParsedEntry], loaded: Iterable[KnownEntry] = ()
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids and urls to search the stored entries for, before identify is called.

    The entries found by them, together with ``loaded``, are those that identify needs. Items are
    left out if an entry of ``loaded`` has their id and url and no other item has that id.
    """
    by_id = {entry.id: entry for entry in loaded}
    firsts = list(map(next, map(_possible_ids, parsed)))
    shared = Counter(firsts)
    ids: set[str] = set()
    urls: set[str] = set()
    for first, entry in zip(firsts, parsed, strict=True):
        stored = by_id.get(first)
        if stored is not None and shared[first] == 1 and same_address(entry.url, stored.url):
            continue
        ids.update(_possible_ids(entry))
        if entry.url is not None:
            urls.update(spellings(entry.url))
    return frozenset(ids), frozenset(urls)


def _without_copies(parsed: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    """Leave out items with the url, date and title of an earlier one, and its id or its text."""
    distinct: dict[tuple[object, ...], ParsedEntry] = {}
    for entry in parsed:
        key = _vendor_id(entry), entry.url or "", entry.published_at, entry.title
        distinct.setdefault(key, entry)
    alike = Counter(map(attrgetter("published_at", "title"), distinct.values()))
    different: dict[tuple[object, ...], ParsedEntry] = {}
    for entry in distinct.values():
        is_alone = alike[entry.published_at, entry.title] == 1
        text = id(entry) if is_alone else content_hash(entry)
        different.setdefault((entry.published_at, text), entry)
    return list(different.values())


def _vendor_id(entry: ParsedEntry) -> str:
    text = entry.vendor_id or ""
    return (text if text.isprintable() else strip_controls(text)).strip()


def _possible_ids(entry: ParsedEntry) -> Iterator[str]:
    """Yield the candidate ids of an item, the preferred one first."""
    vendor_id, url, title = _vendor_id(entry), entry.url or "", entry.title
    date = "" if entry.published_at is None else entry.published_at.isoformat()
    if vendor_id:
        yield vendor_id if len(vendor_id) <= LONGEST_ID else _digest(vendor_id)
        yield _digest(vendor_id, url)
        yield _digest(vendor_id, url, title)
    elif url:
        yield _digest(url, date)
        yield _digest(url, date, title)
    else:
        yield _digest(date, title)
    yield _digest(vendor_id, url, date, title)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _own_ids(items: Sequence[ParsedEntry], stored: Mapping[str, KnownEntry]) -> list[str]:
    """Give every item the id of the entry that says the same, or the first that is free."""
    firsts = list(map(next, map(_possible_ids, items)))
    shared = Counter(firsts)
    matched, ids_shift = match_by_content(items, firsts, stored)
    assigned = set(matched.values())
    ids = []
    for place, (entry, chosen) in enumerate(zip(items, firsts, strict=True)):
        if place in matched:
            ids.append(matched[place])
            continue
        before = stored.get(chosen)
        others = assigned
        if ids_shift and before is not None and not has_similar_title(entry, before):
            others = assigned | {chosen}
        is_elsewhere = before is not None and not same_address(entry.url, before.url)
        if chosen in others or is_elsewhere:
            choices = list(_possible_ids(entry))
            ranked = _ranked(entry, choices, stored, is_shared=shared[chosen] > 1)
            chosen = next(candidate for candidate in ranked if candidate not in others)
        assigned.add(chosen)
        ids.append(chosen)
    return ids


def _ranked(
    entry: ParsedEntry, choices: list[str], stored: Mapping[str, KnownEntry], *, is_shared: bool
) -> list[str]:
    """Put the stored id of an item first, if the preferred one belongs to another item."""
    before = stored.get(choices[0])
    if before is None or same_address(entry.url, before.url):
        return choices
    fallbacks = choices[1:]
    stored_ids = [id_ for id_ in fallbacks if id_ in stored]
    if stored_ids:
        return stored_ids + [id_ for id_ in choices if id_ not in stored_ids]
    return [*fallbacks, choices[0]] if is_shared else choices


def _aliased(
    items: Sequence[ParsedEntry], ids: Sequence[str], stored: Mapping[str, KnownEntry]
) -> list[str]:
    """Replace the ids of items that are stored under another id."""
    new = [at for at, id_ in enumerate(ids) if id_ not in stored and items[at].url is not None]
    if not (new and stored):
        return list(ids)
    entries_at: defaultdict[str | None, list[KnownEntry]] = defaultdict(list)
    for stored_entry in stored.values():
        entries_at[canonical_url(stored_entry.url)].append(stored_entry)
    candidates = [
        (at, items[at], entries_at[url])
        for at in new
        if (url := canonical_url(items[at].url)) in entries_at
    ]
    if not candidates:
        return list(ids)
    items_at = Counter(canonical_url(item.url) for item in items)
    claimed = {id_ for id_ in ids if id_ in stored}
    churned = _FEW < len(candidates) > len(items) / 2
    aliased = list(ids)
    for index, entry, neighbours in candidates:
        alone = items_at[canonical_url(entry.url)] == 1 and len(neighbours) == 1
        same = [
            neighbour
            for neighbour in neighbours
            if neighbour.id not in claimed
            and _is_same_entry(entry, neighbour, alone=alone, churned=churned)
        ]
        if len(same) == 1:
            aliased[index] = same[0].id
            claimed.add(same[0].id)
    return aliased


def _edited(
    items: Sequence[ParsedEntry], ids: Sequence[str], stored: Mapping[str, KnownEntry]
) -> list[str]:
    """Replace the ids of new items that are stored entries with an edited title."""
    claimed = set(ids)
    left = [entry for entry in stored.values() if entry.id not in claimed]
    if not left:
        return list(ids)
    new = {place: items[place] for place, id_ in enumerate(ids) if id_ not in stored}
    edited = match_edited(new, left) if new else {}
    return [edited.get(place, id_) for place, id_ in enumerate(ids)]


def _is_same_entry(entry: ParsedEntry, stored: KnownEntry, *, alone: bool, churned: bool) -> bool:
    """Return whether an item is the stored entry with the same url and another id.

    It is when title and time agree. Where nothing else has this url, it also is when only
    the time agrees and the numbers in the title, when the vendor gives no ids, or when the
    vendor has ``churned`` them: more than half of the document, and more than a few items,
    would be new although their urls are stored. Where the url is shared, the title must agree
    in any case: taking a new entry for an old one would lose it.
    """
    same_time = entry.published_at == stored.published_at
    if alone:
        is_edit = same_time and has_same_numbers(entry, stored)
        return is_edit or churned or entry.vendor_id is None
    return entry.title == stored.title and (same_time or churned)
