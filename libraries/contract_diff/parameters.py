"""Changes in the parameters of an operation."""

import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from contract_diff.change import ContractChange, Effect, Severity, Spot
from contract_diff.document import Document, Node, as_list
from contract_diff.lifecycle import Lifecycle, compare_lifecycles, removed
from contract_diff.schemas import Comparison, compare_written, schema_in
from contract_diff.shape import shape_of

Key: TypeAlias = tuple[str, str]
"""Location and name of a parameter."""

_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}
_PLAIN = {"string", "number", "integer", "boolean"}
_NOT_PARAMETERS = {"accept", "content-type", "authorization"}
"""Headers that OpenAPI 3.0.3 (Parameter Object) describes elsewhere."""


def parameters_of(document: Document, path: str, item: Node, operation: Node) -> dict[Key, Node]:
    """Return the parameters of an operation, those of its path included.

    A path parameter goes by its position: its name is not part of any request. Header names have
    no case (RFC 9110 §5.1).
    """
    positions = {name: str(index) for index, name in enumerate(re.findall(r"{([^}]*)}", path), 1)}
    parameters: dict[Key, Node] = {}
    for node in as_list(item.get("parameters")) + as_list(operation.get("parameters")):
        parameter = document.resolve(node)
        location, name = str(parameter.get("in")), str(parameter.get("name"))
        if location == "header":
            if name.lower() in _NOT_PARAMETERS:
                continue
            name = name.lower()
        parameters[location, positions.get(name, name) if location == "path" else name] = parameter
    return parameters


def compare_parameters(
    both: Comparison, old: Mapping[Key, Node], new: Mapping[Key, Node]
) -> Iterator[ContractChange]:
    """Yield parameters that were added, removed, moved or changed."""
    old, new = _spread(both.old, old, new), _spread(both.new, new, old)
    gone, come = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    for key in [name for name in gone if not Lifecycle.of(old[name]).is_over(both.today)]:
        successor = _successor(both, key, come, old, new)
        if successor is not None:
            gone.remove(key)
            come.remove(successor)
            yield _renamed(both, key, successor, old[key])
    for key in gone:
        yield removed(old[key], _spot(both, old[key]), today=both.today)
    for key in come:
        if new[key].get("required") is True:
            phrase = "is new and required"
            yield _spot(both, new[key]).report("added-required", Effect.NARROWS, phrase)
        else:
            yield _spot(both, new[key]).report("added", Severity.INFO, "is new")
    for key in sorted(old.keys() & new.keys()):
        yield from _changed(both, old[key], new[key])


def _spread(
    document: Document, parameters: Mapping[Key, Node], other: Mapping[Key, Node]
) -> dict[Key, Node]:
    """Return parameters, with exploded objects that the other side lacks as their properties."""
    spread: dict[Key, Node] = {}
    for key, parameter in parameters.items():
        shape = document.remember(schema_in(parameter), shape_of)
        is_apart = key[0] == "query" and _style(parameter) == ("form", True)
        if (
            key in other
            or not is_apart
            or shape.types != frozenset({"object"})
            or not shape.properties
        ):
            spread[key] = parameter
            continue
        for name, nodes in shape.properties.items():
            needed = parameter.get("required") is True and name in shape.required
            schema = {"allOf": list(nodes)}
            spread["query", name] = {
                "in": "query", "name": name, "required": needed, "schema": schema,
            }  # fmt: skip
    return spread


def _spot(both: Comparison, parameter: Node) -> Spot:
    location, name = str(parameter.get("in")), str(parameter.get("name"))
    return Spot(
        side=both.side,
        subject=f"{both.prefix}request-parameter",
        noun=f"the {location} parameter {name}",
        place=f"{both.place} › {location} {name}",
    )


def _successor(
    both: Comparison,
    key: Key,
    candidates: list[Key],
    old: Mapping[Key, Node],
    new: Mapping[Key, Node],
) -> Key | None:
    """Return the same parameter elsewhere, or one that differs by name alone."""
    for other in candidates:
        if other[1] == key[1]:
            return other
    alike = [
        other
        for other in candidates
        if other[0] == key[0] and not list(_changed(both, old[key], new[other]))
    ]
    return alike[0] if len(alike) == 1 else None


def _renamed(both: Comparison, key: Key, successor: Key, parameter: Node) -> ContractChange:
    spot = _spot(both, parameter)
    if key[1] == successor[1]:
        phrase = f"is now a {successor[0]} parameter"
        return spot.report("moved", Severity.BREAKING, phrase)
    return spot.report("renamed", Severity.BREAKING, f"is now called {successor[1]}")


def _changed(both: Comparison, old: Node, new: Node) -> Iterator[ContractChange]:
    spot = _spot(both, old)
    was, now = old.get("required") is True, new.get("required") is True
    yield from spot.requirement(was=was, now=now)
    if old.get("in") == new.get("in") == "path" and old.get("name") != new.get("name"):
        phrase = f"is called {new.get('name')} in the contract; no request shows it"
        yield spot.report("name-in-path-changed", Severity.INFO, phrase)
    yield from _serialisation(both, old, new, spot)
    yield from compare_lifecycles(old, new, spot, today=both.today)
    yield from compare_written(both.schemas(), old, new, spot)


def _serialisation(both: Comparison, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    """Compare how a value is serialised, with the defaults of OpenAPI 3.0.3."""
    before, after = _style(old), _style(new)
    if before[0] != after[0]:
        phrase = f"is written in the style {after[0]} instead of {before[0]}"
        yield spot.report("style-changed", Effect.INCOMPARABLE, phrase)
    elif before[1] != after[1] and _explodes(both.old, old) and _explodes(both.new, new):
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


def _explodes(document: Document, parameter: Node) -> bool:
    """Return whether `explode` has an effect: on objects, and on arrays but in the style simple."""
    types = document.remember(schema_in(parameter), shape_of).types
    without = _PLAIN | {"array"} if _style(parameter)[0] == "simple" else _PLAIN
    return types is None or not types <= without


def _style(parameter: Node) -> tuple[str, bool]:
    style = parameter.get("style", _STYLES.get(str(parameter.get("in")), "form"))
    return str(style), parameter.get("explode", style == "form") is True
