"""Filters of lists of sources, as conditions of prepared queries."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from unicodedata import normalize

from sqlalchemy import ColumnElement, bindparam, or_

from openapi.vocabulary import AdapterType
from storage.engine.statements import list_parameters, list_values
from storage.models import Source

_ESCAPE: Final = "/"
_CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "vendor": Source.vendor == bindparam("vendor"),
    "q": or_(
        Source.name_folded.like(bindparam("q"), escape=_ESCAPE),
        Source.vendor.like(bindparam("q"), escape=_ESCAPE),
    ),
    "adapter_type": Source.adapter_type == bindparam("adapter_type"),
    "kind": Source.kind == bindparam("kind"),
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

    def prepared(self) -> tuple[FilterShape, dict[str, Any]]:
        """Return the shape and the values of its conditions; ``q`` is taken literally."""
        optional = {
            "vendor": self.vendor,
            "q": None if self.q is None else f"%{_escaped(folded(self.q))}%",
            "adapter_type": self.adapter_type,
            "kind": self.kind,
        }
        values = {name: value for name, value in optional.items() if value is not None}
        names = frozenset(values)
        if self.slugs is None:
            return FilterShape(names, None), values
        slugs = list_values("slug", sorted(self.slugs))
        return FilterShape(names, len(slugs)), values | slugs


def folded(text: str) -> str:
    """Return a text as it is searched: without case, and composed (Unicode 3.13, D145, in NFC)."""
    return normalize("NFC", normalize("NFD", text).casefold())


def _escaped(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text
