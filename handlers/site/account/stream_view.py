"""What the address of one's own stream says, and how to say it anew. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from handlers.site.forms import parse_word
from handlers.site.stream_filter import StreamFilter, parse_stream_filter
from storage.entries.entry_filter import EntryFilter

PATH: Final = "/app/stream"
PERIODS: Final = {1: "Today", 7: "7 days", 30: "30 days", 90: "90 days"}
NOTHING: Final = EntryFilter(sources=frozenset())
_LONGEST_ID: Final = 20


@dataclass(frozen=True, slots=True)
class StreamView:
    """A view of one's stream. ``saved``: the public id of a saved filter.

    ``days``: the last ones, today among them, instead of days from and to.
    """

    narrowed: StreamFilter = field(default_factory=StreamFilter)
    saved: str | None = None
    days: int | None = None

    @property
    def narrows(self) -> bool:
        """Whether it leaves out anything that its saved filter lets through."""
        return self.days is not None or self.narrowed.narrows

    def query(self, offset: int = 0) -> str:
        """Return it as the query of an address."""
        said = self.narrowed.link("").removeprefix("?")
        more = {"filter": self.saved, "days": self.days, "offset": offset}
        written = urlencode({name: value for name, value in more.items() if value})
        return "&".join(part for part in (said, written) if part)

    def link(self, offset: int = 0) -> str:
        """Return the address of a page of it."""
        query = self.query(offset)
        return f"{PATH}?{query}" if query else PATH

    def with_(self, **changes: Any) -> "StreamView":
        """Return it with some of its conditions changed; a period takes the place of another."""
        own = {name: changes.pop(name) for name in ("saved", "days") if name in changes}
        if own.get("days"):
            changes |= {"since": None, "until": None}
        return replace(self, narrowed=replace(self.narrowed, **changes), **own)

    def own_filter(self, today: date) -> EntryFilter:
        """Return the filter of what it says besides its saved one."""
        if self.days is None:
            return self.narrowed.entry_filter()
        first = today - timedelta(days=self.days - 1)
        return replace(self.narrowed, since=first, until=None).entry_filter()

    def lasting_filter(self) -> EntryFilter:
        """Return what of it can be saved: what is not about today."""
        return self.narrowed.entry_filter()


def parse_stream_view(values: Mapping[str, str]) -> StreamView:
    """Read the view that an address says; what makes no sense is left out."""
    narrowed = replace(parse_stream_filter(values), order=None)  # a stream goes by days
    saved = parse_word(values.get("filter"), _LONGEST_ID)
    days = next((days for days in PERIODS if values.get("days") == str(days)), None)
    if narrowed.since or narrowed.until:
        days = None
    return StreamView(narrowed, saved, days)


def both(one: EntryFilter, other: EntryFilter) -> EntryFilter:
    """Return the filter of what two filters let through."""
    same = {name: _either(one, other, name) for name in ("vendor", "tag", "kind", "prerelease")}
    mine, theirs = one.category or frozenset(), other.category or frozenset()
    categories = mine & theirs or mine | theirs
    apart = mine and theirs and not mine & theirs
    if apart or any(len(values) > 1 for values in same.values()):
        return NOTHING
    since = [moment for moment in (one.since, other.since) if moment is not None]
    until = [moment for moment in (one.until, other.until) if moment is not None]
    words = [_closed(text) for text in (one.q, other.q) if text]
    said: dict[str, Any] = {name: next(iter(values), None) for name, values in same.items()}
    return EntryFilter(
        sources=within(one.sources, other.sources),
        category=categories or None,
        since=max(since, default=None),
        until=min(until, default=None),
        q=" ".join(words) or None,
        **said,
    )


def within(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    """Return the sources that are in both; None stands for all."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _either(one: EntryFilter, other: EntryFilter, name: str) -> set[Any]:
    return {value for filter_ in (one, other) if (value := getattr(filter_, name)) is not None}


def _closed(words: str) -> str:
    """Return words whose quotation marks come in pairs; one alone means nothing."""
    if words.count('"') % 2 == 0:
        return words
    before, _, after = words.rpartition('"')
    return f"{before} {after}".strip()
