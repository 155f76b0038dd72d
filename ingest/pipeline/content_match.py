"""Which stored entry an item is by what it says and where it is (docs/decisions/0015). Pure.

Vendors renumber their ids, move entries to other addresses, and correct dates. What an item says
tells then which entry it is, before its id does: an entry never takes the id of another.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from difflib import SequenceMatcher
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from changelog_reader.adapters.base import KnownEntry, ParsedEntry
from changelog_reader.snapshots.normalise import names_visitor

_MOVED: Final = timedelta(days=14)
"""How far a vendor who gives ids may move the date of an entry that otherwise stays as it is."""

_TELLING: Final = 60  # characters of title and text that no other entry of the source has
_SIMILAR: Final = 0.75  # of two titles, from 0 to 1
_NUMBER: Final = re.compile(r"\d+")


def content_hash(entry: ParsedEntry) -> str:
    """Return the SHA-256 of title, url and text, which differs once an entry was edited."""
    parts = (entry.title, entry.url or "", entry.summary or "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def match_by_content(
    items: Sequence[ParsedEntry], first_ids: Sequence[str], stored: Mapping[str, KnownEntry]
) -> tuple[dict[int, str], bool]:
    """Return the ids of stored entries that items are, by the places of the items.

    Items that are as they were are matched first, then without the id. ``first_ids`` are the ids
    that the items have by themselves. Only where one item and one entry are left that say the same
    are they matched. The flag says that ids shift: the document gives the id of one entry to
    another, as where ids count entries.
    """
    matched: dict[int, str] = {}
    owned: set[str] = set()
    for place, (item, id_) in enumerate(zip(items, first_ids, strict=True)):
        entry = stored.get(id_)
        if entry is None or id_ in owned or item.published_at not in (None, entry.published_at):
            continue
        if item.title == entry.title and same_address(item.url, entry.url):
            matched[place] = id_
            owned.add(id_)
    if len(matched) == len(items) or len(owned) == len(stored):
        return matched, False
    ids_shift = False
    for pairs in _rules(items, matched, stored, owned):
        for place, id_ in pairs:
            matched[place] = id_
            owned.add(id_)
            ids_shift = ids_shift or (first_ids[place] != id_ and first_ids[place] in stored)
    return matched, ids_shift


def _rules(
    items: Sequence[ParsedEntry],
    matched: Mapping[int, str],
    stored: Mapping[str, KnownEntry],
    owned: set[str],
) -> Iterable[list[tuple[int, str]]]:
    """Yield what each rule matches of what those before it have left."""

    def pairs(
        of_item: Callable[[ParsedEntry], Hashable], of_entry: Callable[[KnownEntry], Hashable]
    ) -> list[tuple[int, str]]:
        by_key: defaultdict[Hashable, list[str]] = defaultdict(list)
        for entry in stored.values():
            if entry.id not in owned:
                by_key[of_entry(entry)].append(entry.id)
        places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            if place not in matched and (key := of_item(item)) in by_key and key is not None:
                places[key].append(place)
        return [
            (there[0], by_key[key][0])
            for key, there in places.items()
            if len(there) == len(by_key[key]) == 1
        ]

    yield pairs(
        lambda item: item.published_at and (item.title, item.published_at, canonical_url(item.url)),
        lambda entry: (entry.title, entry.published_at, canonical_url(entry.url)),
    )
    yield pairs(
        lambda item: item.published_at and (item.title, item.published_at),
        lambda entry: (entry.title, entry.published_at),
    )
    moved = pairs(
        lambda item: content_hash(item) if _is_telling(item) else None,
        lambda entry: entry.content_hash or None,
    )
    yield [(place, id_) for place, id_ in moved if _may_have_moved(items[place], stored[id_])]
    yield pairs(
        lambda item: _title_and_address(item) if item.vendor_id is None else None,
        lambda entry: (entry.title, canonical_url(entry.url)),
    )


def _title_and_address(item: ParsedEntry) -> Hashable:
    return (item.title, canonical_url(item.url)) if _is_telling(item) else None


def _is_telling(item: ParsedEntry) -> bool:
    """Return whether another entry hardly says the same: it names a number or is long enough."""
    has_number = _NUMBER.search(item.title) is not None
    return has_number or len(item.title) + len(item.summary or "") >= _TELLING


def _may_have_moved(item: ParsedEntry, entry: KnownEntry) -> bool:
    if item.vendor_id is None or item.published_at is None:
        return True
    return abs(item.published_at - entry.published_at) <= _MOVED


def has_same_numbers(item: ParsedEntry, entry: KnownEntry) -> bool:
    """Return whether two titles name the same numbers: two versions are two entries."""
    return _NUMBER.findall(item.title) == _NUMBER.findall(entry.title)


def has_similar_title(item: ParsedEntry, entry: KnownEntry) -> bool:
    """Return whether one title may be an edit of the other: similar, with the same numbers."""
    if not has_same_numbers(item, entry):
        return False
    titles = SequenceMatcher(None, item.title.casefold(), entry.title.casefold())
    return titles.quick_ratio() >= _SIMILAR and titles.ratio() >= _SIMILAR


def match_edited(items: Mapping[int, ParsedEntry], entries: Sequence[KnownEntry]) -> dict[int, str]:
    """Return the stored entries that items of the same time and address are, under another title.

    Only pairs that no other item and no other entry could be part of.
    """
    by_place: defaultdict[object, list[KnownEntry]] = defaultdict(list)
    for entry in entries:
        by_place[entry.published_at, canonical_url(entry.url)].append(entry)
    candidates = {
        place: [
            entry.id
            for entry in by_place.get((item.published_at, canonical_url(item.url)), ())
            if has_similar_title(item, entry)
        ]
        for place, item in items.items()
    }
    times = [id_ for ids in candidates.values() for id_ in ids]
    return {
        place: ids[0]
        for place, ids in candidates.items()
        if len(ids) == 1 and times.count(ids[0]) == 1
    }


def same_address(first: str | None, second: str | None) -> bool:
    """Return whether two urls are the same address."""
    return first == second or canonical_url(first) == canonical_url(second)


def canonical_url(url: str | None) -> str | None:
    """Return the canonical form of a url, the same for all spellings of an address.

    Scheme, case of the host, percent-encoding, a trailing slash and tracking parameters are
    ignored; the fragment is kept.
    """
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    parameters: list[tuple[str, str]] = []
    if parts.query:
        query = parse_qsl(parts.query, True)
        parameters = [pair for pair in query if not names_visitor(pair[0])]
    path = unquote(parts.path).rstrip("/")
    return f"{parts.netloc.lower()}{path}?{urlencode(parameters)}#{unquote(parts.fragment)}"


def spellings(url: str) -> Iterator[str]:
    """Yield the url as it may have been stored before the vendor changed how it is written."""
    scheme, colon, address = url.partition(":")
    for spelled in (scheme, "https" if scheme == "http" else "http"):
        yield f"{spelled}{colon}{address}"
        yield f"{spelled}{colon}{address.rstrip('/') if address.endswith('/') else address + '/'}"
        yield f"{spelled}{colon}{unquote(address)}"
