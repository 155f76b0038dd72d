"""The filter in the address of a list of entries: the API's parameters, with whole days. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from handlers.site.forms import parse_day, parse_word
from handlers.site.words import KIND_NAMES, PRERELEASE_WORDS
from openapi.requests import InvalidRequest
from openapi.vocabulary import Category, Kind, SearchOrder
from storage.entries.entry_filter import FILTERS, EntryFilter, filter_text, parse_filter

LONGEST: Final = 10_000
BEFORE_MIDNIGHT: Final = "T23:59:59.999999Z"
NO_FILTERS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class ListFilter:
    """The parameters that an address has, by name; both days are included.

    ``fixed``: those that the page itself has. ``order``: that of a search.
    ``wrong``: those that are ignored.
    """

    said: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, str] = field(default_factory=dict)
    order: SearchOrder | None = None
    wrong: Mapping[str, str] = field(default_factory=dict, compare=False)

    def get(self, name: str) -> str:
        """Return a parameter of the address; nothing where it has none."""
        return self.said.get(name, "")

    @property
    def narrows(self) -> bool:
        """Return True if the address excludes anything."""
        return bool(self.said)

    @property
    def fragment(self) -> str:
        """Where the list begins on the page of a source, which shows other things first."""
        return "#entries" if "sources" in self.fixed else ""

    @property
    def categories(self) -> list[str]:
        """The categories of which an entry has to have one."""
        return [each for each in self.get("category").split(",") if each]

    def query(self) -> str:
        """Return it as a query string of the API."""
        said = {**self.said, **self.fixed}
        return filter_text({name: _moment(name, text) for name, text in said.items()})

    def entry_filter(self) -> EntryFilter:
        """Return it as a filter of entries."""
        return parse_filter(self.query())

    def link(self, path: str, offset: int = 0, **changes: Any) -> str:
        """Return the address of a page of a list, with some parameters changed."""
        said = {**self.said, "order": self.order, "offset": offset, **changes}
        query = urlencode({name: text for name, text in said.items() if text})
        return (f"{path}?{query}" if query else path) + self.fragment

    def without(self, name: str) -> "ListFilter":
        """Return it without one of its conditions."""
        return replace(self, said={each: self.said[each] for each in self.said if each != name})

    def toggled(self, path: str, category: str) -> str:
        """Return the address with a category more, or without it."""
        kept = {*self.categories} ^ {category}
        return self.link(path, category=",".join(each for each in Category if each in kept))

    def name(self, heading: str = "") -> str:
        """Return a name for it, such as "Breaking · acme"; without a category, with a heading."""
        words = self.words()
        category = words.pop("category", heading)
        return " · ".join(filter(None, (category[:1].upper() + category[1:], *words.values())))

    def words(self, *, but: Collection[str] = ()) -> dict[str, str]:
        """Return what the address narrows, in words by parameter."""
        return {name: _words(name, text) for name, text in self.said.items() if name not in but}


def parse_list_filter(
    values: Mapping[str, str],
    *,
    hidden: Collection[str] = (),
    fixed: Mapping[str, str] = NO_FILTERS,
) -> ListFilter:
    """Read the filter of an address, but for ``hidden`` parameters; leave out what is invalid."""
    sent = {name: parse_word(values.get(name), LONGEST) for name in FILTERS if name not in fixed}
    texts = {name: text for name, text in sent.items() if text is not None}
    valid = {name for name in texts.keys() - hidden if _is_valid(name, texts[name])}
    said = {name: _day(name, text) for name, text in texts.items() if name in valid}
    wrong = {name: text for name, text in texts.items() if name not in valid}
    by_relevance = "q" in said and values.get("order") == SearchOrder.RELEVANCE
    return ListFilter(said, fixed, SearchOrder.RELEVANCE if by_relevance else None, wrong)


def _is_valid(name: str, text: str) -> bool:
    if name == "kind" and text not in list(Kind):
        return False  # the API takes kinds that are to come
    try:
        return bool(filter_text({name: _moment(name, text)}))
    except InvalidRequest:
        return False


def _moment(name: str, text: str) -> str:
    """Return a day as the moment that the API takes: ``since`` is strictly after."""
    day = parse_day(text) if name in ("since", "until") else None
    if day is None:
        return text
    before = name == "since" and day > date.min
    return f"{day - timedelta(days=before)}{BEFORE_MIDNIGHT}"


def _day(name: str, text: str) -> str:
    """Return the day that a moment was made from; anything else as it is."""
    day = parse_day(text.removesuffix(BEFORE_MIDNIGHT))
    if day is None or not text.endswith(BEFORE_MIDNIGHT) or day == date.max:
        return text
    return str(day + timedelta(days=name == "since"))


def _words(name: str, text: str) -> str:
    if name == "sources":
        count = text.count(",") + 1
        return text if count == 1 else f"{count} sources"
    words = {
        "q": f"“{text}”",
        "kind": KIND_NAMES.get(Kind(text)) if name == "kind" else None,
        "since": f"from {text[:10]}",
        "until": f"to {text[:10]}",
        "prerelease": PRERELEASE_WORDS.get(text),
    }
    return words.get(name) or text.replace(",", ", ")
