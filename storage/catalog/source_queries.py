"""What lists of sources ask, built once for each set of filters, as rows without objects.

A row has the columns of a source and the facts that its health is judged by, under the names that
the models give them. Building a statement and an object for each row takes longer than answering.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from unicodedata import normalize

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    ScalarSelect,
    bindparam,
    func,
    or_,
    select,
)

from openapi.vocabulary import AdapterType
from storage.engine.statements import PreparedQuery
from storage.engine.types import AnySelect
from storage.models import Entry, FetchFacts, Source

_ESCAPE = "/"
CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "vendor": Source.vendor == bindparam("vendor"),
    "q": or_(
        Source.name_folded.like(bindparam("q"), escape=_ESCAPE),
        Source.vendor.like(bindparam("q"), escape=_ESCAPE),
    ),
    "adapter_type": Source.adapter_type == bindparam("adapter_type"),
    "kind": Source.kind == bindparam("kind"),
    "slugs": Source.slug.in_(bindparam("slugs", expanding=True)),
}


@dataclass(frozen=True, slots=True)
class SourceFilter:
    """What a caller of /sources asks for. ``slugs``: only these, None for all."""

    vendor: str | None = None
    q: str | None = None
    adapter_type: AdapterType | None = None
    kind: str | None = None
    slugs: frozenset[str] | None = None

    def asked(self) -> dict[str, Any]:
        """Return the values of the filters that are set; ``q`` as a pattern, taken literally."""
        values = {
            "vendor": self.vendor,
            "q": None if self.q is None else f"%{_literal(folded(self.q))}%",
            "adapter_type": self.adapter_type,
            "kind": self.kind,
            "slugs": None if self.slugs is None else sorted(self.slugs),
        }
        return {name: value for name, value in values.items() if value is not None}


def folded(text: str) -> str:
    """Return a text as it is searched: without case, and composed (Unicode 3.13, D145, in NFC)."""
    return normalize("NFC", normalize("NFD", text).casefold())


def _literal(text: str) -> str:
    for special in (_ESCAPE, "%", "_"):
        text = text.replace(special, _ESCAPE + special)
    return text


def last_updated_at(now: datetime | ColumnElement[datetime]) -> ScalarSelect[datetime]:
    """Ask for the vendor's newest publish time that is not in the future."""
    return (
        select(Entry.published_at)
        .where(Entry.source_id == Source.id, Entry.published_at <= now)
        .order_by(Entry.published_at.desc())
        .limit(1)
        .correlate(Source)
        .scalar_subquery()
    )


COLUMNS: Final = (
    Source.id,
    Source.slug,
    Source.vendor,
    Source.name,
    Source.kind,
    Source.homepage,
    Source.changelog_url,
    Source.adapter_type,
    Source.tags,
    Source.entry_count,
    FetchFacts.interval,
    FetchFacts.fail_score,
    FetchFacts.failures,
    FetchFacts.empty_streak,
    FetchFacts.first_attempt_at,
    FetchFacts.last_attempt_at,
    FetchFacts.last_success_at,
    FetchFacts.last_failure,
    FetchFacts.last_status,
    FetchFacts.entries_180d,
    FetchFacts.median_gap,
    FetchFacts.newest_published_at,
    FetchFacts.next_check_at,
    FetchFacts.open_gap,
)
_UPDATED = last_updated_at(bindparam("now")).label("last_updated_at")
_ROWS: AnySelect = select(*COLUMNS, _UPDATED).join(FetchFacts, FetchFacts.source_id == Source.id)
EVERY_ROW: AnySelect = select(*COLUMNS).join(FetchFacts, FetchFacts.source_id == Source.id)
"""All sources, without their newest publish time."""


@lru_cache(maxsize=64)
def page(filters: frozenset[str]) -> AnySelect:
    """Ask for ``limit`` rows from ``offset`` by slug, at the time ``now``."""
    found = _ROWS.where(*(CONDITIONS[each] for each in sorted(filters))).order_by(Source.slug)
    limit, offset = bindparam("limit", type_=Integer), bindparam("offset", type_=BigInteger)
    return found.limit(limit).offset(offset)


@lru_cache(maxsize=64)
def count(filters: frozenset[str]) -> AnySelect:
    """Ask how many sources the filters let through."""
    conditions = (CONDITIONS[each] for each in sorted(filters))
    return select(func.count()).select_from(Source).where(*conditions)


@lru_cache(maxsize=16)
def most_prominent(without: int) -> PreparedQuery:
    """Ask for the first source by slug of the vendors with most sources, except some vendors.

    Those are ``vendor_0``, ``vendor_1`` …, as many as ``without`` says.
    """
    vendors: list[Any] = [bindparam(f"vendor_{place}") for place in range(without)]
    fitting = [Source.health == bindparam("health")]
    if vendors:
        fitting.append(Source.vendor.not_in(vendors))
    most = select(func.max(Source.prominence)).where(*fitting).scalar_subquery()
    query = select(Source.id, Source.vendor).where(*fitting, Source.prominence == most)
    return PreparedQuery(query.order_by(Source.slug).limit(1))


@lru_cache(maxsize=128)
def ids(slugs: int) -> PreparedQuery:
    """Ask for slug and id of as many slugs: ``slug_0``, ``slug_1`` …"""
    places: list[Any] = [bindparam(f"slug_{place}") for place in range(slugs)]
    return PreparedQuery(select(Source.slug, Source.id).where(Source.slug.in_(places)))
