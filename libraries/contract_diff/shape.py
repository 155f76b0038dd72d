"""The values that a schema allows, independent of its spelling.

References and `allOf` are different spellings of the same thing. A Shape is the normalized
schema, so that moving a schema into a component is no change.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from contract_diff.document import Document, Node, as_list, as_mapping

Bound: TypeAlias = tuple[float, bool]
"""A limit, and whether the limit itself is left out."""

Nodes: TypeAlias = tuple[Node, ...]
"""Schemas that hold together, as the members of an `allOf` do; none of them allows anything."""

BOUNDS = {
    "minimum": ("minimum", "integer"),
    "maximum": ("maximum", "integer"),
    "minLength": ("min-length", "string"),
    "maxLength": ("max-length", "string"),
    "minItems": ("min-items", "array"),
    "maxItems": ("max-items", "array"),
    "minProperties": ("min-properties", "object"),
    "maxProperties": ("max-properties", "object"),
}
"""What a limit is called, and the type it says something about: every number has integers."""
_TOGETHER = (("oneOf", "discriminator"), ("anyOf",), ("not",))
"""Keywords that are one demand; the first of each says that there is one."""
_NOTES = ("default", "readOnly", "writeOnly", "deprecated")
_ALWAYS_MEANT = {"minLength": 0, "minItems": 0, "minProperties": 0}

_FORMAT_BOUNDS: Mapping[str, Mapping[str, int]] = {
    "int32": {"minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"minimum": -(2**63), "maximum": 2**63 - 1},
    "date": {"minLength": 10, "maxLength": 10},
    "uuid": {"minLength": 36, "maxLength": 36},
}
"""Limits that a format implies."""
_MEASURED: Mapping[str, Any] = {
    "imum": int | float, "Length": str, "Items": list, "Properties": Mapping,
}  # fmt: skip
_ONE_LIST = frozenset({"type", "enum", "title", "description", "nullable", "example"})


@dataclass(slots=True)
class Shape:
    """The values that a schema allows; an empty shape allows anything."""

    types: frozenset[str] | None = None
    """None allows every type."""
    nullable: bool = True
    values: dict[str, Any] | None = None
    """The values of enum by their JSON text, without null; None allows every value."""
    bounds: dict[str, Bound] = field(default_factory=dict)
    patterns: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()
    multiples: frozenset[float] = frozenset()
    unique: bool = False
    properties: dict[str, Nodes] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    additional: Nodes = ()
    closed: bool = False
    """True when properties that are not named are refused."""
    items: Nodes = ()
    one_of: tuple[Nodes, ...] = ()
    any_of: tuple[Nodes, ...] = ()
    discriminator: Node | None = None
    ruled_out: Nodes = ()
    """The schema of `not`."""
    further: Nodes = ()
    """What holds besides: a second union or `not`, which is not one with the first."""
    notes: dict[str, Any] = field(default_factory=dict)
    """default, readOnly, writeOnly, deprecated and extensions: the first that is given."""


def canonical(value: Any) -> str:
    """Return a value as JSON text that equal values share; 1 is not true."""
    return json.dumps(_plain(value), sort_keys=True, default=str, ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Return a value with 1 for 1.0, which are equal in JSON."""
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def meaning(node: Node) -> str:
    """Return an object as JSON text, without its description."""
    return canonical({key: value for key, value in node.items() if key != "description"})


def parts(document: Document, nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield the plain objects that together are these schemas.

    References are followed, and `allOf` and unions of one are opened. Each part has its own
    `nullable`, which what refers to it may have given.
    """
    waiting = [(node, False, True) for node in nodes][::-1]
    visited: set[tuple[int, bool]] = set()
    while waiting:
        node, nullable, opens = waiting.pop()
        if (id(node), nullable) not in visited:
            visited.add((id(node), nullable))
            nullable = nullable or node.get("nullable") is True
            alone = {
                name for name in ("oneOf", "anyOf") if opens and len(as_list(node.get(name))) == 1
            }
            kept = {name: value for name, value in node.items() if name not in alone}
            yield {**kept, "nullable": nullable}
            combined = [document.target(node["$ref"])] if "$ref" in node else []
            combined += [as_list(node[name])[0] for name in sorted(alone)]
            combined += as_list(node.get("allOf"))
            opens = opens and len(as_list(node.get("allOf"))) < 2
            waiting += [(member, nullable, opens) for member in combined[::-1]]


def shape_of(document: Document, nodes: Nodes) -> Shape:
    """Return the shape of what these schemas allow together."""
    shape = Shape()
    nullables: list[bool] = []
    met: set[str] = set()
    for part in parts(document, nodes):
        part = _without_repeated_demands(shape, part, met)
        _add_type(shape, part, nullables)
        _add_limits(shape, part)
        _add_object(shape, part)
        _add_rest(shape, part)
    shape.nullable = all(nullables)
    _merge_lists(document, shape)
    if shape.types == frozenset({"integer"}):
        _make_inclusive(shape)
    _drop_implied(shape)
    return shape


def _merge_lists(document: Document, shape: Shape) -> None:
    """Turn a union of lists of values into one list; those of `oneOf` must not overlap."""
    union = shape.one_of or shape.any_of
    nodes = [document.resolve(node) for (node,) in union]
    lists = [node.get("enum") for node in nodes]
    others = replace(shape, one_of=(), any_of=(), nullable=True, notes={})
    if (
        others != Shape()
        or not lists
        or not all(lists)
        or any(node.keys() - _ONE_LIST for node in nodes)
    ):
        return
    merged = {canonical(value): value for part in lists for value in as_list(part)}
    if shape.one_of and len(merged) < sum(len(as_list(part)) for part in lists):
        return
    shape.one_of = shape.any_of = ()
    shape.nullable = None in merged.values() or any(node.get("nullable") is True for node in nodes)
    shape.values = {text: value for text, value in merged.items() if value is not None}
    if all("type" in node for node in nodes):
        shape.types = frozenset(str(node["type"]) for node in nodes)


def _without_repeated_demands(shape: Shape, part: Node, met: set[str]) -> Node:
    """Return the part without keywords of a group that an earlier part has; they hold apart."""
    for group in _TOGETHER:
        if group[0] in part and group[0] in met:
            again = {keyword: part[keyword] for keyword in group if keyword in part}
            shape.further = (*shape.further, again)
            part = {keyword: value for keyword, value in part.items() if keyword not in group}
        met |= {group[0]} & part.keys()
    return part


def _add_type(shape: Shape, part: Node, nullables: list[bool]) -> None:
    if "type" in part:
        nullables.append(part["nullable"])
        named = frozenset({part["type"]})
        shape.types = named if shape.types is None else _common_types(shape.types, named)
    if "enum" in part:
        allowed = part["enum"]
        nullables.append(None in allowed)
        values = {canonical(value): value for value in allowed if value is not None}
        if shape.values is not None:
            values = {text: value for text, value in values.items() if text in shape.values}
        shape.values = values


def _common_types(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    common = one & other
    if "integer" in one | other and "number" in one | other:
        common |= {"integer"}
    return common


def _add_limits(shape: Shape, part: Node) -> None:
    for keyword in BOUNDS:
        value = part.get(keyword)
        if value is not None and value != _ALWAYS_MEANT.get(keyword):
            bound = (value, part.get(f"exclusive{keyword.capitalize()}") is True)
            bounds = (bound, shape.bounds.get(keyword, bound))
            shape.bounds[keyword] = max(bounds, key=lambda bound: tightness(keyword, bound))
    if "pattern" in part:
        shape.patterns |= {part["pattern"]}
    if "format" in part:
        shape.formats |= {part["format"]}
    if "multipleOf" in part:
        shape.multiples |= {part["multipleOf"]}


def tightness(keyword: str, bound: Bound) -> tuple[float, bool]:
    """Orders bounds of one keyword: the one that allows less is greater."""
    value, is_exclusive = bound
    return value if keyword.startswith("min") else -value, is_exclusive


def _make_inclusive(shape: Shape) -> None:
    """For integers `exclusiveMinimum: 0` and `minimum: 1` are one."""
    for keyword, step in (("minimum", 1), ("maximum", -1)):
        value, is_exclusive = shape.bounds.get(keyword, (0, False))
        if is_exclusive and value % 1 == 0:
            shape.bounds[keyword] = (int(value) + step, False)


def _drop_implied(shape: Shape) -> None:
    """Drop what says nothing more: limits beside a list of values, or beside a format."""
    if shape.types == frozenset({"boolean"}) and shape.values and len(shape.values) == 2:
        shape.values = None
    if shape.values is not None:
        shape.values = {
            text: value
            for text, value in shape.values.items()
            if all(within(value, keyword, bound) for keyword, bound in shape.bounds.items())
        }
        shape.bounds = {}
    for format_ in shape.formats & _FORMAT_BOUNDS.keys():
        for keyword, limit in _FORMAT_BOUNDS[format_].items():
            bound = shape.bounds.get(keyword)
            if bound and tightness(keyword, bound) <= tightness(keyword, (limit, False)):
                del shape.bounds[keyword]


def within(value: Any, keyword: str, bound: Bound) -> bool:
    """Return whether a value keeps a limit; one for another type says nothing about it."""
    measured_types = _MEASURED[keyword[3:]]
    if isinstance(value, bool) or not isinstance(value, measured_types):
        return True
    measured = value if isinstance(value, int | float) else len(value)
    return tightness(keyword, bound) <= tightness(keyword, (measured, False))


def _add_object(shape: Shape, part: Node) -> None:
    for name, node in as_mapping(part.get("properties")).items():
        shape.properties[str(name)] = (*shape.properties.get(str(name), ()), node)
    shape.required |= frozenset(map(str, as_list(part.get("required"))))
    additional = part.get("additionalProperties", True)
    if additional is False:
        shape.closed = True
    elif isinstance(additional, Mapping) and additional:
        shape.additional = (*shape.additional, additional)
    if "items" in part:
        shape.items = (*shape.items, part["items"])
    shape.unique = shape.unique or part.get("uniqueItems") is True


def _add_rest(shape: Shape, part: Node) -> None:
    shape.one_of += tuple((node,) for node in as_list(part.get("oneOf")))
    shape.any_of += tuple((node,) for node in as_list(part.get("anyOf")))
    shape.discriminator = shape.discriminator or part.get("discriminator")
    if "not" in part:
        shape.ruled_out = (part["not"],)
    for keyword, value in part.items():
        if keyword in _NOTES or keyword.startswith("x-"):
            shape.notes.setdefault(keyword, value)
