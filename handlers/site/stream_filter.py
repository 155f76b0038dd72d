"""What the address of a stream says: which entries are meant, and how to say it anew. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time
from typing import Any, Final
from urllib.parse import urlencode

from handlers.site.forms import parse_choice, parse_day, parse_word
from handlers.site.words import KIND_NAMES, PRERELEASE_WORDS
from openapi.vocabulary import Category, Kind, SearchOrder
from storage.entries.documents import timestamp
from storage.entries.entry_filter import EntryFilter

LONGEST_WORDS: Final = 100
LONGEST_TAG: Final = 60
_NO_TAG: Final = re.compile(r'[\x00-\x1f\x7f",\\]')
_PRERELEASE: Final = {"false": False, "true": True}
_END_OF_DAY: Final = time(23, 59, 59, 999999)


@dataclass(frozen=True, slots=True)
class StreamFilter:
    """Which entries are meant; what is None does not narrow. Both days are included.

    ``order`` is that of a search; without words it means nothing. ``prerelease`` is said as in the
    API: ``false`` without prereleases, ``true`` only these.
    """

    q: str | None = None
    category: Category | None = None
    vendor: str | None = None
    tag: str | None = None
    kind: Kind | None = None
    since: date | None = None
    until: date | None = None
    order: SearchOrder | None = None
    prerelease: str | None = None

    @property
    def narrows(self) -> bool:
        """Whether it leaves anything out."""
        return replace(self, order=None) != StreamFilter()

    @property
    def has_more(self) -> bool:
        """Whether it says more than words and a category, which stand on the page anyway."""
        others = (self.vendor, self.tag, self.kind, self.since, self.until, self.prerelease)
        return any(others)

    def entry_filter(self) -> EntryFilter:
        """Return the filter of entries that it stands for."""
        return EntryFilter(
            vendor=self.vendor,
            tag=self.tag,
            kind=self.kind,
            category=None if self.category is None else frozenset({self.category}),
            since=None if self.since is None else _before(self.since),
            until=None if self.until is None else datetime.combine(self.until, _END_OF_DAY, UTC),
            q=self.q,
            prerelease=_PRERELEASE.get(self.prerelease or ""),
        )

    def link(self, path: str, offset: int = 0, **changes: Any) -> str:
        """Return the address of a page of a stream, with some of this changed."""
        changed = replace(self, **changes)
        said = [(field.name, getattr(changed, field.name)) for field in fields(changed)]
        query = urlencode([(name, value) for name, value in [*said, ("offset", offset)] if value])
        return f"{path}?{query}" if query else path

    def without(self, name: str) -> "StreamFilter":
        """Return it without one of its conditions."""
        changes: dict[str, Any] = {name: None}
        return replace(self, **changes)

    def api_query(self) -> str:
        """Return the same as a query string of the API."""
        query = filter_query(self.entry_filter())
        return f"?{query}" if query else ""


def filter_query(filter_: EntryFilter) -> str:
    """Return a filter as a query string of the API, without a question mark."""
    categories = ",".join(category for category in Category if category in (filter_.category or ()))
    said = {
        "q": filter_.q,
        "category": categories,
        "vendor": filter_.vendor,
        "tag": filter_.tag,
        "kind": filter_.kind,
        "sources": ",".join(sorted(filter_.sources or ())),
        "since": filter_.since and timestamp(filter_.since),
        "until": filter_.until and timestamp(filter_.until),
        "prerelease": None if filter_.prerelease is None else str(filter_.prerelease).lower(),
    }
    return urlencode({name: value for name, value in said.items() if value})


def narrowed_by(wanted: StreamFilter) -> dict[str, str]:
    """Return what narrows a stream besides its words and category, in words by its name."""
    narrowed = {
        "vendor": wanted.vendor,
        "tag": wanted.tag,
        "kind": wanted.kind and KIND_NAMES[wanted.kind],
        "since": wanted.since and f"from {wanted.since}",
        "until": wanted.until and f"to {wanted.until}",
        "prerelease": wanted.prerelease and PRERELEASE_WORDS[wanted.prerelease],
    }
    return {name: words for name, words in narrowed.items() if words}


def parse_stream_filter(values: Mapping[str, str]) -> StreamFilter:
    """Read the filter of an address; what makes no sense is left out."""
    words, prerelease = parse_word(values.get("q"), LONGEST_WORDS), values.get("prerelease")
    by_relevance = words and values.get("order") == SearchOrder.RELEVANCE
    return StreamFilter(
        q=words,
        category=parse_choice(Category, values.get("category")),
        vendor=parse_word(values.get("vendor")),
        tag=_tag(values.get("tag")),
        kind=parse_choice(Kind, values.get("kind")),
        since=parse_day(values.get("since")),
        until=parse_day(values.get("until")),
        order=SearchOrder.RELEVANCE if by_relevance else None,
        prerelease=prerelease if prerelease in _PRERELEASE else None,
    )


def _tag(text: str | None) -> str | None:
    """Read a tag; None for what the contract knows to be none."""
    tag = parse_word(text, LONGEST_TAG)
    return None if tag is None or _NO_TAG.search(tag) else tag


def _before(day: date) -> datetime:
    """Return the last moment before a day: a filter's ``since`` is strictly after."""
    if day == date.min:
        return datetime.min.replace(tzinfo=UTC)
    return datetime.combine(date.fromordinal(day.toordinal() - 1), _END_OF_DAY, UTC)
