"""The chips of one's own stream: each is a link that adds a condition or takes it away. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from handlers.site.account.stream_view import PERIODS, StreamView
from handlers.site.stream_filter import narrowed_by
from handlers.site.words import KIND_NAMES
from openapi.vocabulary import Category
from storage.catalog.search.index import IndexedSource
from storage.entries.entry_filter import EntryFilter

MOST_VALUES: Final = 18


class Chip(NamedTuple):
    """A link: its words, its address, and whether it is chosen, so that it takes itself away."""

    words: str
    address: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class ChipMenu:
    """Chips behind a word, such as those of all vendors. ``more``: there are others."""

    name: str
    chips: list[Chip]
    more: bool = False


def first_chips(view: StreamView) -> list[Chip]:
    """Return the chips that always stand there: the three categories."""
    chosen = view.narrowed.category
    return [
        Chip(
            category.value.capitalize(),
            view.with_(category=None if category is chosen else category).link(),
            category is chosen,
        )
        for category in Category
    ]


def chosen_chips(view: StreamView) -> list[Chip]:
    """Return a chip for each other condition that is set."""
    narrowed = view.narrowed
    words = {
        "q": narrowed.q and f"“{narrowed.q}”",
        **narrowed_by(narrowed),
        "days": view.days and _period(view.days),
    }
    return [
        Chip(text, view.with_(**{name: None}).link(), True) for name, text in words.items() if text
    ]


def menus(view: StreamView, sources: Iterable[IndexedSource], saved: EntryFilter) -> list[ChipMenu]:
    """Return the menus by which sources and days are chosen, those that narrow something.

    ``sources``: those of the stream. What the saved filter says is not offered again.
    """
    narrowed = view.narrowed
    followed = [source for source in sources if _fits(source, saved)]
    counted = {
        "vendor": Counter(source.vendor for source in followed),
        "tag": Counter(tag for source in followed for tag in source.tags),
        "kind": Counter(source.kind.value for source in followed),
    }
    made = [
        _menu(view, name, counts)
        for name, counts in counted.items()
        if len(counts) > 1 and getattr(saved, name) is None and getattr(narrowed, name) is None
    ]
    if view.days is None and not (narrowed.since or narrowed.until):
        days = [Chip(_period(period), view.with_(days=period).link(), False) for period in PERIODS]
        made.append(ChipMenu("Period", days))
    return made


def _menu(view: StreamView, name: str, counts: Counter[str]) -> ChipMenu:
    common = [value for value, _ in counts.most_common(MOST_VALUES)]
    names: Mapping[Any, str] = KIND_NAMES if name == "kind" else {}
    chips = [
        Chip(names.get(value, value), view.with_(**{name: value}).link(), False)
        for value in sorted(common)
    ]
    return ChipMenu(name.capitalize(), chips, more=len(counts) > MOST_VALUES)


def _fits(source: IndexedSource, saved: EntryFilter) -> bool:
    return (
        saved.vendor in (None, source.vendor)
        and saved.kind in (None, source.kind)
        and (saved.tag is None or saved.tag in source.tags)
        and (saved.sources is None or source.slug in saved.sources)
    )


def _period(days: int) -> str:
    words = PERIODS[days]
    return words if days == 1 else f"Last {words}"
