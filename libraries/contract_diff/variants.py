"""Pairs the variants of an old union with those of a new one."""

from collections.abc import Callable

from contract_diff.document import Node
from contract_diff.shape import Nodes, Shape, within
from contract_diff.values import shared_types

_SIMPLE = frozenset({"string", "number", "integer", "boolean"})


def pair_variants(
    old: tuple[Nodes, ...], new: tuple[Nodes, ...], same: Callable[[Nodes, Nodes], bool]
) -> tuple[list[tuple[Nodes, Nodes]], list[Nodes], list[Nodes]]:
    """Pairs of variants, the old ones that are gone and the new ones that came.

    Variants belong together that have one name, else those that allow the same, else the only
    one left on either side, which then counts as edited.
    """
    pairs: list[tuple[Nodes, Nodes]] = []
    gone, come = list(old), list(new)
    for matches in (_share_a_name, same):
        for before in list(gone):
            twin = next((after for after in come if matches(before, after)), None)
            if twin is not None:
                pairs.append((before, twin))
                gone.remove(before)
                come.remove(twin)
    if len(gone) == len(come) == 1:
        pairs.append((gone.pop(), come.pop()))
    return pairs, gone, come


def overlap(one: Shape, other: Shape) -> bool:
    """Return whether one schema surely allows a value that the other allows."""
    if one.nullable and other.nullable and one.types and other.types:
        return True
    if one.values is not None and other.values is not None:
        return bool(one.values.keys() & other.values.keys())
    if one.types is None or other.types is None:
        return False
    shared = shared_types(one, other)
    if "array" in shared and not any("minItems" in shape.bounds for shape in (one, other)):
        return True
    if "object" in shared and _takes_objects_of(one, other):
        return True
    return bool(shared & _SIMPLE) and _share_a_plain_value(one, other)


def _takes_objects_of(one: Shape, other: Shape) -> bool:
    """Return whether one schema allows each object with nothing but what the other names."""
    is_open = not (one.closed or one.additional or _has_rules(one))
    return (
        is_open
        and one.required <= other.required
        and all(
            nodes == other.properties[name]
            for name, nodes in one.properties.items()
            if name in other.properties
        )
    )


def _share_a_plain_value(one: Shape, other: Shape) -> bool:
    if any(_has_rules(shape) for shape in (one, other)):
        return any(
            not (_has_rules(shape) or shape.values or shape.bounds) for shape in (one, other)
        )
    for listed, limited in ((one, other), (other, one)):
        if listed.values is not None:
            limits = limited.bounds.items()
            return any(
                all(within(value, keyword, bound) for keyword, bound in limits)
                for value in listed.values.values()
            )
    return not (_is_above(one, other) or _is_above(other, one))


def _has_rules(shape: Shape) -> bool:
    """Return whether more than types, values and limits decides."""
    further = (shape.ruled_out, shape.further, shape.one_of, shape.any_of)
    return any((shape.patterns, shape.formats, shape.multiples, *further))


def _is_above(one: Shape, other: Shape) -> bool:
    """Return whether all that one schema allows is beyond the limits of the other."""
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength")):
        if low in one.bounds and high in other.bounds:
            (least, above), (most, below) = one.bounds[low], other.bounds[high]
            if least > most or (least == most and (above or below)):
                return True
    return False


def label(node: Node, position: int) -> str:
    """Return a label for a variant: its name, else its number."""
    name = _name(node)
    return name.rsplit("/", 1)[-1] if name else str(position + 1)


def _name(node: Node) -> str | None:
    name = node.get("$ref") or node.get("title")
    return name if isinstance(name, str) else None


def _share_a_name(old: Nodes, new: Nodes) -> bool:
    name = _name(old[0])
    return name is not None and name == _name(new[0])
