"""Filters of lists of sources, as conditions of queries and of what a search finds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement

from openapi.vocabulary import AdapterType, Tier
from storage.catalog.search.index import IndexedSource
from storage.models import Source

_COMPARED: Final = ("vendor", "adapter_type", "kind", "tier")


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """The filter of a list of sources. ``slugs``: only these, None for all."""

    vendor: str | None = None
    q: str | None = None
    adapter_type: AdapterType | None = None
    kind: str | None = None
    slugs: frozenset[str] | None = None
    tier: Tier | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return the conditions of a query; what ``q`` means, a search says."""
        said = [getattr(Source, name) == value for name, value in self._compared().items()]
        said.append(~Source.on_demand)
        return said if self.slugs is None else [*said, Source.slug.in_(self.slugs)]

    def acceptance(self) -> Callable[[IndexedSource], bool]:
        """Return a function that tests a source for all conditions but ``q``."""
        slugs, values = self.slugs, self._compared().items()

        def accepts(source: IndexedSource) -> bool:
            if slugs is not None and source.slug not in slugs:
                return False
            return all(getattr(source, name) == value for name, value in values)

        return accepts

    def _compared(self) -> dict[str, str]:
        values = {name: getattr(self, name) for name in _COMPARED}
        return {name: value for name, value in values.items() if value is not None}
