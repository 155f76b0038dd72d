"""The filter of entries, the same wherever entries are listed or followed (docs/decisions/0114).

``FIELDS`` says of each parameter which column it is compared with, and how. The conditions of
queries and the matching of a loaded entry are both made from it. A saved filter is kept
as the query string that the API takes, so it means the same everywhere.
"""

import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple, Self
from urllib.parse import urlencode

import orjson
from sqlalchemy import ColumnElement, LargeBinary, String, and_, literal, select, type_coerce
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from openapi.parsing import parse_instant
from openapi.queries import ListChanges
from openapi.query import Query
from openapi.validation import contract_validator
from openapi.vocabulary import Category
from storage.entries.documents import bits_of
from storage.models import Entry, Source


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries are meant, by the names of the parameters; None does not narrow.

    ``sources`` are slugs. ``since`` is strictly after and ``until`` not later than, in the vendor's
    time, so that neighbouring spans share nothing. ``category``: important for one of these.
    ``q``: words of the entry. ``prerelease``: only prereleases, or none. ``names``: the fields
    that narrow, other than ``q``.
    """

    sources: frozenset[str] | None = None
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: frozenset[Category] | None = None
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None
    prerelease: bool | None = None
    cve: str | None = None
    names: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        said = (each.name for each in FIELDS if getattr(self, each.name) is not None)
        object.__setattr__(self, "names", frozenset(said))

    @property
    def is_contradictory(self) -> bool:
        """Return True if no entry can match, because the span is empty."""
        return self.since is not None and self.until is not None and self.since >= self.until

    @property
    def narrows_sources(self) -> bool:
        """Return True if there are conditions on sources."""
        return not OF_SOURCE.isdisjoint(self.names)

    @property
    def narrows_entries(self) -> bool:
        """Return True if there are conditions on entries besides words."""
        return not OF_SOURCE.issuperset(self.names)

    @property
    def is_span(self) -> bool:
        """Return True if there are conditions on times alone."""
        return SPAN.issuperset(self.names)

    def among(self, slugs: frozenset[str] | None) -> Self:
        """Return it narrowed to some sources; None are all."""
        if slugs is None:
            return self
        return replace(self, sources=slugs if self.sources is None else slugs & self.sources)

    def entry_conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on entries alone."""
        return [field.condition(value) for field, value in self._values() if not field.of_source]

    def source_conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on sources."""
        return [field.condition(value) for field, value in self._values() if field.of_source]

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return all conditions but words, for a query of entries.

        Those on sources are checked entry by entry: the zero keeps SQLite from reading all entries
        of each source, to sort them, instead of the newest ones.
        """
        if not self.narrows_sources:
            return self.entry_conditions()
        sources = select(Source.id).where(~Source.on_demand, *self.source_conditions())
        return [*self.entry_conditions(), (Entry.source_id + 0).in_(sources)]

    def matches(self, stored: Mapping[str, Any]) -> bool:
        """Return whether an entry has these values, by parameter; words are not looked at."""
        return all(
            field.operator.matches(stored[field.name], value) for field, value in self._values()
        )

    def _values(self) -> Iterator[tuple["Field", Any]]:
        return ((it, getattr(self, it.name)) for it in FIELDS if it.name in self.names)


class Operator(NamedTuple):
    """How a stored value is compared with that of a filter: in SQL, and in Python."""

    condition: Callable[[Any, Any], ColumnElement[bool]]
    matches: Callable[[Any, Any], bool]


class Field(NamedTuple):
    """A parameter of the filter. ``read`` makes its value from that of a request."""

    name: str
    column: Any
    operator: Operator
    read: Callable[[Any], Any] = str
    of_source: bool = False

    def condition(self, value: Any) -> ColumnElement[bool]:
        """Return the condition for a value."""
        return self.operator.condition(self.column, value)


class contains_bytes(FunctionElement[bool]):  # noqa: N801 - named as functions of SQL are
    """True if the first bytes contain the second."""

    inherit_cache = True


@compiles(contains_bytes)
def _contains_bytes(element: Any, compiler: Any, **options: Any) -> str:
    whole, part = (compiler.process(clause, **options) for clause in element.clauses)
    return f"instr({whole}, {part}) > 0"


@compiles(contains_bytes, "postgresql")
def _contains_bytes_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    whole, part = (compiler.process(clause, **options) for clause in element.clauses)
    return f"position({part} in {whole}) > 0"


def _has_item(column: Any, item: str) -> ColumnElement[bool]:
    """A list of texts is stored as JSON: the contract's tags have no character that it escapes."""
    text = literal(orjson.dumps(item), LargeBinary)
    return contains_bytes(type_coerce(column, LargeBinary), text)


def _has_category(column: Any, categories: Collection[Category]) -> ColumnElement[bool]:
    """Entry.important is said as the partial indexes say it."""
    return and_(Entry.important, column.bitwise_and(bits_of(categories)) != 0)


def _is_true(column: Any, value: bool) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = column.is_(True) if value else column.is_not(True)
    return condition


IS: Final = Operator(operator.eq, operator.eq)
AFTER: Final = Operator(operator.gt, operator.gt)
NOT_AFTER: Final = Operator(operator.le, operator.le)
ONE_OF: Final = Operator(lambda column, values: column.in_(values), lambda one, all_: one in all_)
HAS_ITEM: Final = Operator(_has_item, operator.contains)
HAS_CATEGORY: Final = Operator(_has_category, lambda bits, wanted: bool(bits & bits_of(wanted)))
IS_TRUE: Final = Operator(_is_true, lambda stored, value: (stored is True) is value)

FIELDS: Final = (
    Field("sources", Source.slug, ONE_OF, frozenset, of_source=True),
    Field("vendor", Source.vendor, IS, of_source=True),
    Field("tag", Source.tags, HAS_ITEM, of_source=True),
    Field("kind", type_coerce(Source.kind, String), IS, of_source=True),
    Field("category", Entry.categories, HAS_CATEGORY, frozenset),
    Field("since", Entry.published_at, AFTER, parse_instant),
    Field("until", Entry.published_at, NOT_AFTER, parse_instant),
    Field("cve", Entry.public_document, HAS_ITEM),
    Field("prerelease", Entry.prerelease, IS_TRUE, {"true": True, "false": False}.__getitem__),
)
"""All parameters but ``q``, which has an index of its own."""
EVERYTHING: Final = EntryFilter()  # the filter that lets every entry through
OF_SOURCE: Final = frozenset(field.name for field in FIELDS if field.of_source)
SPAN: Final = frozenset({"since", "until"})


def meant_sources(
    session: Session, filter_: EntryFilter, among: Collection[int] | None = None
) -> list[int] | None:
    """Return the sources that a filter means among some; None for all."""
    if not filter_.narrows_sources:
        return None if among is None else sorted(set(among))
    sources = select(Source.id).where(~Source.on_demand, *filter_.source_conditions())
    meant = set(session.scalars(sources))
    return sorted(meant if among is None else meant.intersection(among))


FILTERS: Final = (*(field.name for field in FIELDS if field.name != "cve"), "q")
"""The parameters that say everywhere which entries are meant, by name."""


def entry_filter_of(query: Query, *, but: Collection[str] = ("sources",)) -> EntryFilter:
    """Return the filter that the parameters of an operation say; one without them lets all through.

    By default the sources are left out: who may read them is checked first.
    """
    values: dict[str, Any] = {"q": getattr(query, "q", None)}
    for it in FIELDS:
        value = getattr(query, it.name, None)
        if value is not None and value != () and it.name not in but:
            values[it.name] = it.read(value)
    return EVERYTHING if values == {"q": None} else EntryFilter(**values)


def parse_filter(text: str) -> EntryFilter:
    """Return the filter that a query string says. Raises InvalidRequest."""
    return entry_filter_of(parse_filter_query(text), but=())


@lru_cache(maxsize=1024)
def parse_filter_query(text: str) -> ListChanges:
    """Return the parameters that a query string says. Raises InvalidRequest."""
    values = contract_validator().parameters(ListChanges.OPERATION, text.encode())
    only: dict[str, Any] = {name: values[name] for name in FILTERS if name in values}
    return ListChanges.of(only)


def filter_text(parameters: Mapping[str, str]) -> str:
    """Return the parameters of a filter, in one form, as a query string. Raises InvalidRequest.

    Those that are empty, and those that are no filter, are left out.
    """
    sent = {name: parameters[name].strip() for name in FILTERS if parameters.get(name, "").strip()}
    return parse_filter_query(urlencode(sent)).to_link()
