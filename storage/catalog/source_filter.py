"""Filters of lists of sources, as conditions of prepared queries and of what a search finds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, bindparam

from openapi.vocabulary import AdapterType, Tier
from storage.catalog.search.index import IndexedSource
from storage.engine.statements import list_parameters, list_values
from storage.models import Source

_CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "vendor": Source.vendor == bindparam("vendor"),
    "adapter_type": Source.adapter_type == bindparam("adapter_type"),
    "kind": Source.kind == bindparam("kind"),
    "tier": Source.tier == bindparam("tier"),
}


class FilterShape(NamedTuple):
    """Which conditions a filter sets: all that its prepared query depends on.

    ``slugs``: how many parameters its list of slugs takes, None without a list.
    """

    names: frozenset[str]
    slugs: int | None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions."""
        conditions = [_CONDITIONS[name] for name in sorted(self.names)]
        if self.slugs is not None:
            conditions.append(Source.slug.in_(list_parameters("slug", self.slugs)))
        return conditions


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """The filter of a list of sources. ``slugs``: only these, None for all."""

    vendor: str | None = None
    q: str | None = None
    adapter_type: AdapterType | None = None
    kind: str | None = None
    slugs: frozenset[str] | None = None
    tier: Tier | None = None

    def prepared(self) -> tuple[FilterShape, dict[str, Any]]:
        """Return the shape and the values of its conditions; what ``q`` means, a search says."""
        values = {name: value for name, value in self._fields().items() if value is not None}
        names = frozenset(values)
        if self.slugs is None:
            return FilterShape(names, None), values
        slugs = list_values("slug", sorted(self.slugs))
        return FilterShape(names, len(slugs)), values | slugs

    def acceptance(self) -> Callable[[IndexedSource], bool]:
        """Return what tells whether a source fulfils all conditions but ``q``."""
        values = [(name, value) for name, value in self._fields().items() if value is not None]
        slugs = self.slugs

        def accepts(source: IndexedSource) -> bool:
            if slugs is not None and source.slug not in slugs:
                return False
            return all(getattr(source, name) == value for name, value in values)

        return accepts

    def _fields(self) -> dict[str, str | None]:
        return {name: getattr(self, name) for name in _CONDITIONS}
