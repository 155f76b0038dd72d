"""Changes in the single values of a schema: type, enum, limits, format and the like."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from contract_diff.change import ContractChange, Effect, Severity, Side, Spot
from contract_diff.document import as_list
from contract_diff.shape import BOUNDS, Bound, Shape, canonical, tightness

EXTENSIBLE_ENUM = "x-extensible-enum"
"""The values of a text in responses that a later version may add to."""

_EVERY = frozenset({"string", "number", "integer", "boolean", "array", "object"})
_WIDER_FORMATS = {("int32", "int64"), ("float", "double")}


def compare_types(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare the types, and whether null is allowed."""
    before, after = _names(old), _names(new)
    types = _closure(old.types), _closure(new.types)
    if types[0] != types[1]:
        effect = _subset_effect(*types)
        what = {Effect.NARROWS: "narrowed", Effect.WIDENS: "widened"}.get(effect, "changed")
        yield spot.report(f"type-{what}", effect, f"is now {after} instead of {before}")
    if old.nullable and not new.nullable and not _anything(old):
        yield spot.report("became-not-nullable", Effect.NARROWS, "can no longer be null")
    if new.nullable and not old.nullable and not _anything(new):
        yield spot.report("became-nullable", Effect.WIDENS, "can now be null")


def shared_types(old: Shape, new: Shape) -> frozenset[str]:
    """Return the types that both allow; keywords for other types cannot be compared."""
    before, after = _closure(old.types), _closure(new.types)
    return (_EVERY if before is None else before) & (_EVERY if after is None else after)


def _anything(shape: Shape) -> bool:
    return shape.types is None and shape.values is None


def _closure(types: frozenset[str] | None) -> frozenset[str] | None:
    return types | {"integer"} if types is not None and "number" in types else types


def _names(shape: Shape) -> str:
    if shape.types is None:
        return "anything"
    return " or ".join(sorted(shape.types)) or "nothing"


def _subset_effect(old: frozenset[str] | None, new: frozenset[str] | None) -> Effect:
    if old is None or (new is not None and new < old):
        return Effect.NARROWS
    if new is None or old < new:
        return Effect.WIDENS
    return Effect.INCOMPARABLE


def compare_values(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare the values of enum."""
    before, after = old.values, new.values
    if before is None and after is None:
        return
    if after is None:
        phrase = "is no longer limited to a list of values"
        yield spot.report("enum-removed", Effect.WIDENS, phrase)
    elif before is None:
        phrase = f"is now limited to {', '.join(after)}"
        yield spot.report("became-enum", Effect.NARROWS, phrase)
    else:
        for text in before.keys() - after.keys():
            phrase = f"no longer has the value {text}"
            yield spot.report("enum-value-removed", Effect.NARROWS, phrase)
        for text in after.keys() - before.keys():
            yield spot.report("enum-value-added", Effect.WIDENS, f"has the new value {text}")


def compare_growing_values(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare lists of values that may grow: a text that is not listed is allowed as well."""
    before, after = (as_list(side.notes.get(EXTENSIBLE_ENUM)) for side in (old, new))
    if not before or not after:
        return
    for value in after:
        if value not in before:
            phrase = f"has the new value {value}, in a list that may grow"
            yield spot.report("extensible-enum-value-added", Severity.INFO, phrase)
    for value in before:
        if value not in after:
            gone = Severity.WARNING if spot.side is Side.REQUEST else Severity.INFO
            phrase = f"no longer lists the value {value}"
            yield spot.report("extensible-enum-value-removed", gone, phrase)


def compare_limits(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare limits of numbers, lengths and counts, and whether array items are unique."""
    shared = shared_types(old, new)
    for keyword, (name, of_type) in BOUNDS.items():
        before, after = old.bounds.get(keyword), new.bounds.get(keyword)
        if before != after and of_type in shared:
            yield _bound_change(keyword, name, before, after, spot)
    if "array" not in shared:
        return
    if new.unique and not old.unique:
        yield spot.report("became-unique", Effect.NARROWS, "must now have no item twice")
    if old.unique and not new.unique:
        yield spot.report("became-not-unique", Effect.WIDENS, "may now have an item twice")


def _bound_change(
    keyword: str, name: str, before: Bound | None, after: Bound | None, spot: Spot
) -> ContractChange:
    words = name.replace("-", " ").replace("min ", "least ").replace("max ", "greatest ")
    if before is None and after is not None:
        return spot.report(f"{name}-set", Effect.NARROWS, f"now has the {words} {_limit(after)}")
    if after is None and before is not None:
        phrase = f"no longer has the {words} {_limit(before)}"
        return spot.report(f"{name}-removed", Effect.WIDENS, phrase)
    assert before is not None
    assert after is not None
    narrows = tightness(keyword, after) > tightness(keyword, before)
    if before[0] == after[0]:
        what = "became-exclusive" if after[1] else "became-inclusive"
    else:
        what = "increased" if after[0] > before[0] else "decreased"
    phrase = f"has the {words} {_limit(after)} instead of {_limit(before)}"
    return spot.report(f"{name}-{what}", Effect.NARROWS if narrows else Effect.WIDENS, phrase)


def _limit(bound: Bound) -> str:
    value, is_exclusive = bound
    return f"{value}{' (itself left out)' if is_exclusive else ''}"


def compare_texts(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare pattern, format and multipleOf."""
    shared = shared_types(old, new)
    if "string" in shared:
        yield from _conjunction(
            "pattern", sorted(old.patterns), sorted(new.patterns), spot, Effect.UNDECIDED
        )
    pair = (min(old.formats, default=""), min(new.formats, default=""))
    changed = Effect.INCOMPARABLE
    if pair in _WIDER_FORMATS:
        changed = Effect.WIDENS
    elif pair[::-1] in _WIDER_FORMATS:
        changed = Effect.NARROWS
    yield from _conjunction("format", sorted(old.formats), sorted(new.formats), spot, changed)
    if "integer" in shared:
        yield from _conjunction(
            "multiple-of", sorted(old.multiples), sorted(new.multiples), spot, _multiple(old, new)
        )


def _multiple(old: Shape, new: Shape) -> Effect:
    before, after = (  # as they are written: 0.3 is a multiple of 0.1
        Fraction(str(min(side.multiples, default=0))) for side in (old, new)
    )
    if before and after % before == 0:
        return Effect.NARROWS
    if after and before % after == 0:
        return Effect.WIDENS
    return Effect.INCOMPARABLE


def _conjunction(
    name: str, old: list[Any], new: list[Any], spot: Spot, changed: Effect
) -> Iterator[ContractChange]:
    """Compare values that all have to hold: more of them narrow; `changed` is for others."""
    if old == new:
        return
    words = name.replace("-", " ")
    before, after = (" and ".join(str(value) for value in side) for side in (old, new))
    if set(old) < set(new):
        yield spot.report(f"{name}-added", Effect.NARROWS, f"now has the {words} {after}")
    elif set(new) < set(old):
        yield spot.report(f"{name}-removed", Effect.WIDENS, f"no longer has the {words} {before}")
    else:
        phrase = f"has the {words} {after} instead of {before}"
        yield spot.report(f"{name}-changed", changed, phrase)


def compare_default(old: Shape, new: Shape, spot: Spot) -> Iterator[ContractChange]:
    """Compare the defaults.

    The same request means something else when its default changes, so that warns; what a
    response's default says is advice.
    """
    severity = Severity.WARNING if spot.side is Side.REQUEST else Severity.INFO
    before, after = old.notes, new.notes
    if "default" in after and "default" not in before:
        phrase = f"now defaults to {canonical(after['default'])}"
        yield spot.report("default-added", severity, phrase)
    elif "default" in before and "default" not in after:
        phrase = f"no longer defaults to {canonical(before['default'])}"
        yield spot.report("default-removed", severity, phrase)
    elif canonical(before.get("default")) != canonical(after.get("default")):
        phrase = (
            f"defaults to {canonical(after['default'])} instead of {canonical(before['default'])}"
        )
        yield spot.report("default-changed", severity, phrase)
