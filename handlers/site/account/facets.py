"""What a list of sources can be narrowed by, and in which orders it comes. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from itertools import chain
from typing import Final

from openapi.vocabulary import Health, Kind, Tier
from storage.catalog.search.index import IndexedSource

SHOWN_VALUES: Final = 60
ORDERS: Final = {"": "Best first", "name": "By name", "newest": "Newest entry first"}
_LONG_AGO: Final = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What changes about a source: its health, its newest entry, why its last check failed."""

    health: str
    newest_at: datetime | None
    failure: str | None = None


UNKNOWN: Final = SourceFacts(Health.UNKNOWN.value, None)


@dataclass(frozen=True, slots=True)
class Narrowing:
    """The chosen value of each facet, None where any will do."""

    tier: str | None = None
    kind: str | None = None
    health: str | None = None
    tag: str | None = None
    vendor: str | None = None
    adapter: str | None = None
    reason: str | None = None

    def chosen(self) -> dict[str, str]:
        """Return the facets that are set."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Facet:
    """A facet with its values in order and how many sources each would leave."""

    name: str
    values: list[tuple[str, int]]


def narrow(
    sources: Sequence[IndexedSource], facts: Mapping[int, SourceFacts], chosen: Mapping[str, str]
) -> tuple[list[IndexedSource], list[Facet]]:
    """Return what is left of some sources, and the facets.

    Each facet counts what the others leave, so that its numbers say what another choice would give.
    """
    passed: list[IndexedSource] = []
    counts: dict[str, Counter[str]] = {name: Counter() for name in _VALUES}
    for source in sources if chosen else ():
        of = facts.get(source.id, UNKNOWN)
        failed = [
            name for name, wanted in chosen.items() if wanted not in _VALUES[name](source, of)
        ]
        if not failed:
            passed.append(source)
        elif len(failed) == 1:
            counts[failed[0]].update(_VALUES[failed[0]](source, of))
    passed = passed if chosen else list(sources)
    of_passed = [facts.get(source.id, UNKNOWN) for source in passed]
    for name in _SHOWN:
        counts[name].update(chain.from_iterable(map(_VALUES[name], passed, of_passed)))
    return passed, [Facet(name, _shown(name, counts[name], chosen)) for name in _SHOWN]


def in_order(
    sources: list[IndexedSource], order: str, facts: Mapping[int, SourceFacts]
) -> list[IndexedSource]:
    """Return sources in an order; an unknown one changes nothing."""
    if order == "name":
        return sorted(sources, key=lambda source: (source.name.casefold(), source.slug))
    if order == "newest":
        return sorted(
            sources,
            key=lambda source: facts.get(source.id, UNKNOWN).newest_at or _LONG_AGO,
            reverse=True,
        )
    return sources


def _tier(source: IndexedSource, _: SourceFacts) -> Iterable[str]:
    return (source.tier.value,)


def _kind(source: IndexedSource, _: SourceFacts) -> Iterable[str]:
    return (source.kind.value,)


def _health(_: IndexedSource, facts: SourceFacts) -> Iterable[str]:
    return (facts.health,)


def _tags(source: IndexedSource, _: SourceFacts) -> Iterable[str]:
    return source.tags


def _vendor(source: IndexedSource, _: SourceFacts) -> Iterable[str]:
    return (source.vendor,)


def _adapter(source: IndexedSource, _: SourceFacts) -> Iterable[str]:
    return (str(source.adapter_type),)


def _reason(_: IndexedSource, facts: SourceFacts) -> Iterable[str]:
    return () if facts.failure is None else (facts.failure,)


_VALUES: Final[dict[str, Callable[[IndexedSource, SourceFacts], Iterable[str]]]] = {
    "tier": _tier,
    "kind": _kind,
    "health": _health,
    "tag": _tags,
    "vendor": _vendor,
    "adapter": _adapter,
    "reason": _reason,
}
_SHOWN: Final = ("tier", "kind", "health", "tag", "vendor")
_IN_ORDER: Final = {
    "tier": [tier.value for tier in Tier],
    "kind": [kind.value for kind in Kind],
    "health": [health.value for health in Health],
}


def _shown(name: str, counts: Counter[str], chosen: Mapping[str, str]) -> list[tuple[str, int]]:
    """Return the values of a facet: as they are listed everywhere, or the most frequent by name."""
    if name in _IN_ORDER:
        order = _IN_ORDER[name]
        return [
            (value, counts[value]) for value in order if counts[value] or value == chosen.get(name)
        ]
    most = sorted(counts, key=lambda value: (-counts[value], value))[:SHOWN_VALUES]
    wanted = chosen.get(name)
    named = {*most, *([wanted] if wanted else [])}
    return [(value, counts[value]) for value in sorted(named)]
