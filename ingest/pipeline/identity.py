"""Identity: which entry an item of a document is, by the rules of docs/decisions/0015.

Pure functions of the parsed items and of what is known of the source. The same document
against the same known entries always gives the same ids, and no id twice.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from ingest.adapters.base import KnownEntry, ParsedEntry
from ingest.content.sanitizer import strip_controls
from ingest.pipeline.url_equivalence import Places, place_of, same_place, spellings

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
    parsed: Sequence[ParsedEntry], known: Iterable[KnownEntry], *, first_seen_at: datetime
) -> list[IdentifiedEntry]:
    """Return the items in their order, each with its id; exact copies are left out.

    - The vendor's id is the id. Where several items share it, the one at the known url keeps
      it, or else the first; the others get a hash of id and url.
    - Without one, the id is a hash of url and date; without a url, of date and title.
    - Before an item becomes a new entry, it is compared with the known entries that have its url
      (_is_the_same). An entry that another item stands for is never taken.
    - A known entry keeps its ``published_at``; a new one without a date is as old as the
      moment it was first seen, a millisecond older than the one above it: so the vendor's
      order is kept.
    """
    stored = _Known(known)
    items = _without_copies(parsed)
    ids = _own_ids(items, stored)
    ids = _aliased(items, ids, stored)
    return [
        IdentifiedEntry(
            id=id_,
            entry=entry,
            published_at=_published_at(entry, stored.by_id.get(id_), first_seen_at - place * _STEP),
            is_new=id_ not in stored.by_id,
        )
        for place, (id_, entry) in enumerate(zip(ids, items, strict=True))
    ]


def _published_at(
    entry: ParsedEntry, known: KnownEntry | None, first_seen_at: datetime
) -> datetime:
    if known is not None:
        return known.published_at
    return entry.published_at or first_seen_at


class _Known:
    """The known entries by id."""

    def __init__(self, known: Iterable[KnownEntry]) -> None:
        self.by_id: dict[str, KnownEntry] = {each.id: each for each in known}

    def at(self, places: Places) -> Mapping[str, Sequence[KnownEntry]]:
        """Return the known entries at these addresses, by their canonical form."""
        by_place: defaultdict[str, list[KnownEntry]] = defaultdict(list)
        for entry in self.by_id.values():
            place = places.of(entry.url)
            if place is not None:
                by_place[place].append(entry)
        return by_place


def lookup_keys(
    parsed: Sequence[ParsedEntry], known: Iterable[KnownEntry] = ()
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the ids and the urls under which identify may know these items.

    What is known of the source under any of them, together with ``known``, is what identify has
    to be given. Left out are the items that need nothing more: one among ``known`` has their id
    and their url, and no other item has that id.
    """
    by_id = {each.id: each for each in known}
    firsts = list(map(_first_id, parsed))
    shared = Counter(firsts)
    ids: set[str] = set()
    urls: set[str] = set()
    for first, entry in zip(firsts, parsed, strict=True):
        stored = by_id.get(first)
        if stored is not None and shared[first] == 1 and same_place(entry.url, stored.url):
            continue
        ids.update(_possible_ids(entry))
        if entry.url is not None:
            urls.update(spellings(entry.url))
    return frozenset(ids), frozenset(urls)


def _without_copies(parsed: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    """Leave out items that are copies of an earlier one in all that tells items apart."""
    kept: dict[tuple[object, ...], ParsedEntry] = {}
    for each in parsed:
        key = _vendor_id(each), each.url or "", each.published_at, each.title
        kept.setdefault(key, each)
    return list(kept.values())


def _distinguishing(entry: ParsedEntry) -> tuple[str, str, str, str]:
    """Return all that tells items apart: vendor's id, url, date, title."""
    date = "" if entry.published_at is None else entry.published_at.isoformat()
    return _vendor_id(entry), entry.url or "", date, entry.title


def _vendor_id(entry: ParsedEntry) -> str:
    text = entry.vendor_id or ""
    return (text if text.isprintable() else strip_controls(text)).strip()


def _first_id(entry: ParsedEntry) -> str:
    """Return the first of the possible ids."""
    vendor_id = _vendor_id(entry)
    return vendor_id if 0 < len(vendor_id) <= LONGEST_ID else next(_possible_ids(entry))


def _possible_ids(entry: ParsedEntry) -> Iterator[str]:
    """Yield the candidate ids of an item, the preferred one first."""
    vendor_id, url, date, title = _distinguishing(entry)
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


def _own_ids(items: Sequence[ParsedEntry], known: _Known) -> list[str]:
    """Give every item the first of its possible ids that nobody has more right to."""
    firsts = list(map(_first_id, items))
    shared = Counter(firsts)
    taken: set[str] = set()
    ids = []
    for entry, chosen in zip(items, firsts, strict=True):
        if chosen in taken or not _is_plain(entry, known.by_id.get(chosen)):
            choices = list(_possible_ids(entry))
            ranked = _ranked(entry, choices, known, is_shared=shared[chosen] > 1)
            chosen = next(each for each in ranked if each not in taken)
        taken.add(chosen)
        ids.append(chosen)
    return ids


def _is_plain(entry: ParsedEntry, stored: KnownEntry | None) -> bool:
    """Tell whether nothing speaks against the first id of an item."""
    return stored is None or same_place(entry.url, stored.url)


def _ranked(entry: ParsedEntry, choices: list[str], known: _Known, *, is_shared: bool) -> list[str]:
    """Put first the id that the item is stored under, when the plain one is another item's."""
    if _is_plain(entry, known.by_id.get(choices[0])):
        return choices
    others = choices[1:]
    stored = [each for each in others if each in known.by_id]
    if stored:
        return stored + [each for each in choices if each not in stored]
    return [*others, choices[0]] if is_shared else choices


def _aliased(items: Sequence[ParsedEntry], ids: Sequence[str], known: _Known) -> list[str]:
    """Replace the ids of items that are known entries under another id."""
    if not known.by_id:
        return list(ids)
    new = [at for at, id_ in enumerate(ids) if id_ not in known.by_id]
    places = Places(items[at].url for at in new)
    there = known.at(places)
    candidates = [
        (at, items[at], there[place])
        for at in new
        if (place := places.of(items[at].url)) and place in there
    ]
    if not candidates:
        return list(ids)
    items_at = Counter(places.of(each.url) for each in items)
    claimed = {each for each in ids if each in known.by_id}
    churned = _FEW < len(candidates) > len(items) / 2
    aliased = list(ids)
    for index, entry, neighbours in candidates:
        alone = items_at[place_of(entry.url)] == 1 and len(neighbours) == 1
        same = [
            each
            for each in neighbours
            if each.id not in claimed and _is_the_same(entry, each, alone=alone, churned=churned)
        ]
        if len(same) == 1:
            aliased[index] = same[0].id
            claimed.add(same[0].id)
    return aliased


def _is_the_same(entry: ParsedEntry, known: KnownEntry, *, alone: bool, churned: bool) -> bool:
    """Say whether an item is a known entry with the same url whose id it does not have.

    It is when title and time agree. Where nothing else has this url, it also is when only
    the time agrees, when the vendor gives no ids, or when the vendor has ``churned`` them:
    more than half of the document, and more than a few items, would be new although their
    urls are known. Where the url is shared, the title must agree in any case: taking a new
    entry for an old one would lose it.
    """
    same_time = entry.published_at == known.published_at
    if alone:
        return same_time or churned or entry.vendor_id is None
    return entry.title == known.title and (same_time or churned)
