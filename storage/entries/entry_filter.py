"""The filter of entries, the same wherever entries are listed or followed (docs/decisions/0114).

``EntryFilter`` says which entries are meant. Here are its conditions, for prepared queries and for
others, on either database: those on entries, and those on their sources.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import (
    ColumnElement,
    Integer,
    LargeBinary,
    String,
    and_,
    bindparam,
    literal_column,
    select,
    true,
    type_coerce,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.sql.functions import FunctionElement

from openapi.vocabulary import Category
from storage.engine.statements import list_parameters, list_values
from storage.engine.types import AnySelect
from storage.entries.categories import bits_of
from storage.models import Entry, Source


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries are meant; what is None or empty does not narrow.

    ``sources`` are slugs. ``since`` is strictly after and ``until`` not later than, in the vendor's
    time, so that neighbouring spans share nothing. ``categories``: important for one of these.
    ``q``: words of the entry. ``prerelease``: only prereleases, or none.
    """

    sources: frozenset[str] | None = None
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    categories: frozenset[Category] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None
    prerelease: bool | None = None

    @property
    def is_contradictory(self) -> bool:
        """Whether no entry can be meant, because its span is none."""
        return self.since is not None and self.until is not None and self.since >= self.until

    @property
    def shape(self) -> "FilterShape":
        """What a query with its conditions depends on."""
        names = ("vendor", "tag", "kind", "categories", "since", "until", "q")
        of_versions = {None: [], True: ["prerelease"], False: ["no_prerelease"]}[self.prerelease]
        return FilterShape(
            frozenset([*of_versions, *(name for name in names if getattr(self, name))]),
            None if self.sources is None else len(_slugs(self.sources)),
        )

    def values(self) -> dict[str, Any]:
        """Return the values of its conditions."""
        values: dict[str, Any] = _slugs(self.sources or ())
        for name in ("vendor", "kind", "since", "q"):
            if getattr(self, name) is not None:
                values[name] = getattr(self, name)
        if self.until is not None:
            values["last_moment"] = self.until
        if self.tag is not None:
            values["tag"] = orjson.dumps(self.tag)
        if self.categories:
            values["categories"] = bits_of(self.categories)
        return values


EVERYTHING: Final = EntryFilter()
"""The filter that lets every entry through."""


def _slugs(slugs: Collection[str]) -> dict[str, Any]:
    return list_values("slug", sorted(slugs)) if slugs else {}


class FilterShape(NamedTuple):
    """Which conditions a filter sets, by name: all that its prepared query depends on.

    ``slugs``: how many parameters its list of sources takes, None without a list.
    """

    names: frozenset[str]
    slugs: int | None

    @property
    def narrows_sources(self) -> bool:
        """Whether it has conditions on sources."""
        return self.slugs is not None or not self.names.isdisjoint(_OF_SOURCES)

    @property
    def of_entries(self) -> "FilterShape":
        """The shape without its conditions on sources."""
        return FilterShape(self.names.difference(_OF_SOURCES), None)

    def entry_conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on entries alone; those on their sources are not among them."""
        return [_OF_ENTRIES[name] for name in _OF_ENTRIES if name in self.names]

    def source_conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions on sources."""
        conditions = [_OF_SOURCES[name] for name in _OF_SOURCES if name in self.names]
        if self.slugs is None:
            return conditions
        return [*conditions, Source.slug.in_(list_parameters("slug", self.slugs))]

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return all conditions, for a query of entries.

        Those on sources are checked entry by entry: the zero keeps SQLite from reading all entries
        of each source, to sort them, instead of the newest ones.
        """
        conditions = self.entry_conditions()
        if self.narrows_sources:
            sources = select(Source.id).where(*self.source_conditions())
            conditions.append((Entry.source_id + literal_column("0")).in_(sources))
        return conditions


class contains_bytes(FunctionElement[bool]):  # noqa: N801 - named as functions of SQL are
    """Whether the first bytes contain the second."""

    inherit_cache = True


@compiles(contains_bytes)
def _contains_bytes(element: Any, compiler: Any, **options: Any) -> str:
    whole, part = (compiler.process(clause, **options) for clause in element.clauses)
    return f"instr({whole}, {part}) > 0"


@compiles(contains_bytes, "postgresql")
def _contains_bytes_on_postgresql(element: Any, compiler: Any, **options: Any) -> str:
    whole, part = (compiler.process(clause, **options) for clause in element.clauses)
    return f"position({part} in {whole}) > 0"


_ZERO: Final[ColumnElement[int]] = literal_column("0")
_OF_SOURCES: Final[dict[str, Any]] = {
    "vendor": Source.vendor == bindparam("vendor"),
    "kind": type_coerce(Source.kind, String) == bindparam("kind", type_=String),
    # A list of texts is stored as JSON: the contract's tags have no character that it escapes.
    "tag": contains_bytes(
        type_coerce(Source.tags, LargeBinary), bindparam("tag", type_=LargeBinary)
    ),
}
_OF_ENTRIES: Final[dict[str, Any]] = {
    "since": Entry.published_at > bindparam("since"),
    "until": Entry.published_at <= bindparam("last_moment"),
    "categories": and_(
        Entry.important,  # word for word as the partial indexes say it
        Entry.categories.bitwise_and(bindparam("categories", type_=Integer)) != _ZERO,
    ),
    "prerelease": Entry.prerelease.is_(true()),
    "no_prerelease": Entry.prerelease.is_not(true()),
}


class MatchingSources(NamedTuple):
    """The sources that fulfil a filter's conditions, and how many entries they have in all."""

    ids: tuple[int, ...]
    entries: int
    important: int


def matching_sources(session: Session, filter_: EntryFilter) -> MatchingSources:
    """Return the sources that fulfil a filter's conditions."""
    query: AnySelect = select(Source.id, Source.entry_count, Source.important_count)
    query = query.where(*filter_.shape.source_conditions())
    rows = session.connection().execute(query, filter_.values()).all()
    return MatchingSources(
        tuple(sorted(row[0] for row in rows)),
        sum(row[1] for row in rows),
        sum(row[2] for row in rows),
    )
