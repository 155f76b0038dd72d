"""Pairs the variants of an old union with those of a new one."""

from collections.abc import Callable

from contract_diff.document import Node
from contract_diff.shape import Nodes, Shape
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
    """Return whether two schemas surely allow a common text, number or flag."""
    if one.nullable and other.nullable and one.types and other.types:
        return True
    if one.values is not None and other.values is not None:
        return bool(one.values.keys() & other.values.keys())
    if one.types is None or other.types is None or not shared_types(one, other) & _SIMPLE:
        return False
    return any(
        not (
            shape.values
            or shape.bounds
            or shape.patterns
            or shape.formats
            or shape.multiples
            or shape.ruled_out
            or shape.further
        )
        for shape in (one, other)
    )


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
