"""Changes in the parameters of an operation."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

from contract_diff.change import ContractChange, Effect, Severity, Side, Spot
from contract_diff.document import Document, as_list
from contract_diff.lifecycle import Lifecycle, compare_lifecycles, removed
from contract_diff.schemas import SchemaComparison, compare_written

Key: TypeAlias = tuple[str, str]
"""Location and name of a parameter."""

_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_NOT_PARAMETERS = {"accept", "content-type", "authorization"}
"""Headers that OpenAPI 3.0.3 (Parameter Object) describes elsewhere."""


def parameters_of(
    document: Document, path: str, item: Mapping[str, Any], operation: Mapping[str, Any]
) -> dict[Key, Mapping[str, Any]]:
    """Return the parameters of an operation, those of its path included.

    A path parameter goes by its position: its name is not part of any request. Header names have
    no case (RFC 9110 §5.1).
    """
    positions = {name: str(index) for index, name in enumerate(re.findall(r"{([^}]*)}", path), 1)}
    parameters: dict[Key, Mapping[str, Any]] = {}
    for node in as_list(item.get("parameters")) + as_list(operation.get("parameters")):
        parameter = document.resolve(node)
        location, name = str(parameter.get("in")), str(parameter.get("name"))
        if location == "header":
            if name.lower() in _NOT_PARAMETERS:
                continue
            name = name.lower()
        parameters[location, positions.get(name, name) if location == "path" else name] = parameter
    return parameters


@dataclass(frozen=True, slots=True)
class ParameterComparison:
    """The parameters of one operation in two contracts."""

    schemas: Callable[[], SchemaComparison]
    side: Side
    subject: str
    place: str
    today: date | None

    def compare(
        self, old: Mapping[Key, Mapping[str, Any]], new: Mapping[Key, Mapping[str, Any]]
    ) -> Iterator[ContractChange]:
        """Yield parameters that were added, removed, moved or changed."""
        gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
        for key in [name for name in gone if not Lifecycle.of(old[name]).is_over(self.today)]:
            successor = self._successor(key, come, old, new)
            if successor is not None:
                gone.remove(key)
                come.remove(successor)
                yield self._renamed(key, successor, old[key])
        for key in gone:
            spot = self._spot(old[key])
            plain = spot.report(
                "removed-without-deprecation",
                Severity.BREAKING,
                "was removed without having been deprecated",
            )
            yield removed(old[key], spot, today=self.today, otherwise=plain)
        for key in come:
            yield self._added(new[key])
        for key in sorted(old.keys() & new.keys()):
            yield from self._changed(old[key], new[key])

    def _spot(self, parameter: Mapping[str, Any]) -> Spot:
        location, name = str(parameter.get("in")), str(parameter.get("name"))
        return Spot(
            side=self.side,
            subject=self.subject,
            noun=f"the {location} parameter {name}",
            place=f"{self.place} › {location} {name}",
        )

    def _successor(
        self,
        key: Key,
        candidates: list[Key],
        old: Mapping[Key, Mapping[str, Any]],
        new: Mapping[Key, Mapping[str, Any]],
    ) -> Key | None:
        """Return the same parameter elsewhere, or one that differs by name alone."""
        for other in candidates:
            if other[1] == key[1]:
                return other
        alike = [
            other
            for other in candidates
            if other[0] == key[0] and not list(self._changed(old[key], new[other]))
        ]
        return alike[0] if len(alike) == 1 else None

    def _renamed(self, key: Key, successor: Key, parameter: Mapping[str, Any]) -> ContractChange:
        spot = self._spot(parameter)
        if key[1] == successor[1]:
            phrase = f"is now a {successor[0]} parameter"
            return spot.report("moved", Severity.BREAKING, phrase)
        return spot.report("renamed", Severity.BREAKING, f"is now called {successor[1]}")

    def _added(self, parameter: Mapping[str, Any]) -> ContractChange:
        if parameter.get("required") is True:
            phrase = "is new and required"
            return self._spot(parameter).report("added-required", Effect.NARROWS, phrase)
        return self._spot(parameter).report("added", Severity.INFO, "is new")

    def _changed(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[ContractChange]:
        spot = self._spot(old)
        was, now = old.get("required") is True, new.get("required") is True
        yield from spot.requirement(was=was, now=now)
        if old.get("in") == new.get("in") == "path" and old.get("name") != new.get("name"):
            phrase = f"is called {new.get('name')} in the contract; no request shows it"
            yield spot.report("name-in-path-changed", Severity.INFO, phrase)
        yield from _serialisation(old, new, spot)
        yield from compare_lifecycles(old, new, spot, today=self.today)
        yield from compare_written(self.schemas(), old, new, spot)


def _serialisation(
    old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
) -> Iterator[ContractChange]:
    """Compare how a value is serialised, with the defaults of OpenAPI 3.0.3."""
    before, after = _style(old), _style(new)
    if before[0] != after[0]:
        phrase = f"is written in the style {after[0]} instead of {before[0]}"
        yield spot.report("style-changed", Effect.INCOMPARABLE, phrase)
    elif before[1] != after[1]:
        phrase = f"is{'' if after[1] else ' no longer'} exploded"
        yield spot.report("explode-changed", Effect.INCOMPARABLE, phrase)
    for keyword, what in (("allowReserved", "reserved"), ("allowEmptyValue", "empty")):
        was, now = old.get(keyword) is True, new.get(keyword) is True
        if now and not was:
            phrase = f"may now hold {what} text"
            yield spot.report(f"{what}-allowed", Effect.WIDENS, phrase)
        if was and not now:
            phrase = f"may no longer hold {what} text"
            yield spot.report(f"{what}-refused", Effect.NARROWS, phrase)


def _style(parameter: Mapping[str, Any]) -> tuple[str, bool]:
    style = parameter.get("style", _STYLES.get(str(parameter.get("in")), "form"))
    return str(style), parameter.get("explode", style == "form") is True
