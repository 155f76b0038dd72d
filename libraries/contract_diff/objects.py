"""Changes in the properties of an object."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from contract_diff.change import ContractChange, Effect, Severity, Side, Spot
from contract_diff.document import as_mapping, named
from contract_diff.lifecycle import compare_lifecycles, removed
from contract_diff.shape import Nodes, Shape

_UNSENT = {Side.REQUEST: "readOnly", Side.RESPONSE: "writeOnly"}
"""The keyword of a property that this side never sends (OpenAPI 3.0.3, Schema Object)."""
_WORDS = {"readOnly": "read-only", "writeOnly": "write-only"}


def compare_objects(
    old: Shape,
    new: Shape,
    spot: Spot,
    *,
    shapes: tuple[Callable[[Nodes], Shape], Callable[[Nodes], Shape]],
    today: date | None,
) -> Iterator[ContractChange]:
    """Properties added and removed, required or not, and whether others are allowed.

    `shapes` reads the schema of a property in the old and in the new document.
    """
    for name in sorted(old.properties.keys() | new.properties.keys()):
        here = spot.property(name)
        before = shapes[0](old.properties[name]) if name in old.properties else None
        after = shapes[1](new.properties[name]) if name in new.properties else None
        was = name in old.required and _is_sent(before, spot.side)
        now = name in new.required and _is_sent(after, spot.side)
        if after is None and before is not None:
            gone = replace(here, unsent=here.unsent or not _is_sent(before, spot.side))
            yield _removed(before, gone, required=was, closed=new.closed, today=today)
        elif after is not None and before is None:
            yield _added(here, required=now)
        elif before is not None and after is not None:
            yield from here.requirement(was=was, now=now)
            yield from _sending(before, after, here)
            yield from compare_lifecycles(before.notes, after.notes, here, today=today)
    for name in sorted(new.required ^ old.required):
        if name not in old.properties and name not in new.properties:
            yield from spot.property(name).requirement(
                was=name in old.required, now=name in new.required
            )
    yield from _openness(old, new, spot)


def is_unsent(old: Shape, new: Shape, side: Side) -> bool:
    """True for a property that this side sends by neither contract."""
    return not _is_sent(old, side) and not _is_sent(new, side)


def _is_sent(shape: Shape | None, side: Side) -> bool:
    return shape is None or shape.notes.get(_UNSENT[side]) is not True


def _removed(
    before: Shape, spot: Spot, *, required: bool, closed: bool, today: date | None
) -> ContractChange:
    """Return the removal of a property; in requests only a closed object refuses it."""
    if spot.side is Side.RESPONSE:
        what = "required" if required else "optional"
        weight = Severity.BREAKING if required else Severity.WARNING
        plain = spot.report(f"removed-{what}", weight, f"was removed; it was {what}")
    elif closed:
        phrase = "was removed from an object that refuses other properties"
        plain = spot.report("removed-from-closed-object", Severity.BREAKING, phrase)
    else:
        plain = spot.report("removed", Severity.WARNING, "was removed")
    if plain.severity is Severity.INFO:
        return plain
    return removed(before.notes, spot, today=today, otherwise=plain)


def _added(spot: Spot, *, required: bool) -> ContractChange:
    if required and spot.side is Side.REQUEST:
        return spot.report("added-required", Severity.BREAKING, "is new and required")
    what = "added-required" if required else "added"
    return spot.report(what, Severity.INFO, "is new")


def _sending(before: Shape, after: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Yield the change of a property that this side starts or stops sending."""
    words = _WORDS[_UNSENT[spot.side]]
    was, now = _is_sent(before, spot.side), _is_sent(after, spot.side)
    if was and not now:
        yield spot.report(f"became-{words}", Severity.WARNING, f"is now {words}")
    if now and not was:
        yield spot.report(f"became-not-{words}", Severity.INFO, f"is no longer {words}")


def _openness(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare whether properties that are not named are allowed."""
    if new.closed and not old.closed:
        phrase = "now refuses properties it does not name"
        yield spot.report("additional-properties-refused", Effect.NARROWS, phrase)
    if old.closed and not new.closed:
        # Consumers are told to expect new properties, so this only warns in a response.
        opened = Severity.WARNING if spot.side is Side.RESPONSE else Severity.INFO
        phrase = "now allows properties it does not name"
        yield spot.report("additional-properties-allowed", opened, phrase)


def compare_discriminators(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare the discriminators of two unions."""
    if old.discriminator is None and new.discriminator is None:
        return
    if old.discriminator is None:
        yield spot.report("discriminator-added", Severity.WARNING, "now has a discriminator")
    elif new.discriminator is None:
        yield spot.report(
            "discriminator-removed", Severity.WARNING, "no longer has a discriminator"
        )
    else:
        was, now = (each.get("propertyName") for each in (old.discriminator, new.discriminator))
        if was != now:
            phrase = f"is told apart by {now} instead of {was}"
            yield spot.report("discriminator-property-changed", Effect.INCOMPARABLE, phrase)
        yield from _mapping_changes(_mapping(old, new), _mapping(new, old), spot)


def _mapping(shape: Shape, other: Shape) -> dict[str, str]:
    """Return the schemas of a union by name; implicit names count where the other has them."""
    written, there = _written(shape), _written(other)
    for node, *_ in (*shape.one_of, *shape.any_of):
        reference = str(node.get("$ref", ""))
        name = reference.rsplit("/", 1)[-1]
        if reference and name in there and reference not in written.values():
            written[name] = reference
    return written


def _written(shape: Shape) -> dict[str, str]:
    return {
        name: value if "/" in value or "." in value else f"#/components/schemas/{value}"
        for name, value in named(as_mapping(shape.discriminator).get("mapping")).items()
    }


def _mapping_changes(
    was: Mapping[str, str], now: Mapping[str, str], spot: Spot
) -> Iterator[ContractChange]:
    for name in sorted(was.keys() | now.keys()):
        if name not in now:
            phrase = f"no longer knows the variant {name}"
            yield spot.report("discriminator-mapping-removed", Effect.NARROWS, phrase)
        elif name not in was:
            phrase = f"knows the new variant {name}"
            yield spot.report("discriminator-mapping-added", Effect.WIDENS, phrase)
        elif was[name] != now[name]:
            phrase = f"means another schema by the variant {name}"
            yield spot.report("discriminator-mapping-changed", Severity.WARNING, phrase)
