"""Compares two schemas, and everything below them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import TypeAlias

from conformance.evolution.change import Change, Effect, Side, Spot
from conformance.evolution.document import Document, Node
from conformance.evolution.objects import compare_discriminators, compare_objects, is_unsent
from conformance.evolution.shape import Nodes, Shape, shape_of
from conformance.evolution.values import (
    compare_default,
    compare_limits,
    compare_texts,
    compare_types,
    compare_values,
    types_are_at_odds,
)

_Pair: TypeAlias = tuple[frozenset[int], frozenset[int]]


class SchemaComparison:
    """One pair of schemas, such as those of a body, with all schemas below them.

    Each pair of schemas below is compared once: a schema that refers to itself ends there, and a
    change in one that is used in several places is told at the first of them.
    """

    def __init__(
        self,
        old: Document,
        new: Document,
        *,
        today: date | None,
        verdicts: dict[_Pair, bool] | None = None,
    ) -> None:
        self._old = old
        self._new = new
        self._today = today
        self._compared: set[tuple[_Pair, bool]] = set()
        self._verdicts: dict[_Pair, bool] = {} if verdicts is None else verdicts

    def compare(self, old: Nodes, new: Nodes, spot: Spot) -> Iterator[Change]:
        """The changes from the old schemas to the new ones, both read as a conjunction."""
        pair = (_pair(old, new), spot.unsent)
        if pair in self._compared:
            return
        self._compared.add(pair)
        before, after = self._before(old), self._after(new)
        wrapped = self._wrapped(old, new, before, after, spot)
        if wrapped is not None:
            yield wrapped
            return
        yield from compare_types(before, after, spot)
        if types_are_at_odds(before, after):
            return
        for compare in (compare_values, compare_limits, compare_texts, compare_default):
            yield from compare(before, after, spot)
        yield from self._objects(before, after, spot)
        yield from self._arrays(before, after, spot)
        yield from self._unions("one-of", before.one_of, after.one_of, spot)
        yield from self._unions("any-of", before.any_of, after.any_of, spot)
        yield from compare_discriminators(before, after, spot)
        yield from self._assertions(before, after, spot)

    def _before(self, nodes: Nodes) -> Shape:
        return shape_of(self._old, nodes)

    def _after(self, nodes: Nodes) -> Shape:
        return shape_of(self._new, nodes)

    def _objects(self, before: Shape, after: Shape, spot: Spot) -> Iterator[Change]:
        shapes = (self._before, self._after)
        yield from compare_objects(before, after, spot, shapes=shapes, today=self._today)
        for name in sorted(before.properties.keys() & after.properties.keys()):
            old, new = before.properties[name], after.properties[name]
            unsent = spot.unsent or is_unsent(self._before(old), self._after(new), spot.side)
            yield from self.compare(old, new, replace(spot.property(name), unsent=unsent))
        if not before.closed and not after.closed:
            others = replace(spot.property("*"), noun="each property without a name of its own")
            yield from self.compare(before.additional, after.additional, others)

    def _arrays(self, before: Shape, after: Shape, spot: Spot) -> Iterator[Change]:
        yield from self.compare(before.items, after.items, spot.items())
        shared = min(len(before.prefix), len(after.prefix))
        for position in range(shared):
            place = spot.items().into(str(position))
            yield from self.compare(before.prefix[position], after.prefix[position], place)
        if len(before.prefix) != len(after.prefix):
            phrase = f"names {len(after.prefix)} leading items instead of {len(before.prefix)}"
            yield spot.report("prefix-items-changed", Effect.UNDECIDED, phrase)

    def _wrapped(
        self, old: Nodes, new: Nodes, before: Shape, after: Shape, spot: Spot
    ) -> Change | None:
        """A schema that became one variant of a union of nothing else, or the reverse."""
        was, now = before.one_of + before.any_of, after.one_of + after.any_of
        wraps = now and not was and _is_only_a_union(after)
        if wraps and any(self._same(old, variant) for variant in now):
            phrase = "is now one of several variants, the one it was among them"
            return spot.report("became-union", Effect.WIDENS, phrase)
        unwraps = was and not now and _is_only_a_union(before)
        if unwraps and any(self._same(variant, new) for variant in was):
            phrase = "is now always what was one of several variants"
            return spot.report("became-one-variant", Effect.NARROWS, phrase)
        return None

    def _unions(
        self, name: str, old: tuple[Nodes, ...], new: tuple[Nodes, ...], spot: Spot
    ) -> Iterator[Change]:
        """Variants are paired by name, then by what they allow: their order says nothing."""
        if not old or not new:
            if old or new:
                words = f"{name}-added" if new else f"{name}-removed"
                effect = Effect.NARROWS if new else Effect.WIDENS
                phrase = "is now one of several variants" if new else "no longer has variants"
                yield spot.report(words, effect, phrase)
            return
        pairs, gone, come = self._paired(old, new)
        for before, after in pairs:
            variant = spot.into(f"variant {_label(after[0], new.index(after))}")
            yield from self.compare(before, after, variant)
        for before in gone:
            phrase = f"no longer has the variant {_label(before[0], old.index(before))}"
            yield spot.report(f"{name}-variant-removed", Effect.NARROWS, phrase)
        for after in come:
            phrase = f"has the new variant {_label(after[0], new.index(after))}"
            yield spot.report(f"{name}-variant-added", Effect.WIDENS, phrase)

    def _paired(
        self, old: tuple[Nodes, ...], new: tuple[Nodes, ...]
    ) -> tuple[list[tuple[Nodes, Nodes]], list[Nodes], list[Nodes]]:
        pairs: list[tuple[Nodes, Nodes]] = []
        gone, come = list(old), list(new)
        for matches in (_share_a_name, self._same):
            for before in list(gone):
                twin = next((after for after in come if matches(before, after)), None)
                if twin is not None:
                    pairs.append((before, twin))
                    gone.remove(before)
                    come.remove(twin)
        if len(gone) == len(come) == 1:  # one variant that was edited, not one lost and one won
            pairs.append((gone.pop(), come.pop()))
        return pairs, gone, come

    def _assertions(self, before: Shape, after: Shape, spot: Spot) -> Iterator[Change]:
        """Keywords that only ever add a demand, and whose change is not followed further."""
        for keyword in sorted(before.asserted.keys() | after.asserted.keys()):
            old, new = before.asserted.get(keyword), after.asserted.get(keyword)
            if old is None or new is None or not self._same(old, new):
                yield _assertion(keyword, spot, was=old is not None, now=new is not None)
        for keyword in sorted(before.other.keys() | after.other.keys()):
            was, now = before.other.get(keyword), after.other.get(keyword)
            if was != now:
                yield _assertion(keyword, spot, was=was is not None, now=now is not None)

    def _same(self, old: Nodes, new: Nodes) -> bool:
        """Whether two schemas allow the same, seen by comparing them afresh.

        A pair that contains itself is taken to be the same until something tells otherwise.
        """
        pair = _pair(old, new)
        if pair not in self._verdicts:
            self._verdicts[pair] = True
            probe = Spot(side=Side.REQUEST, subject="schema", noun="the schema", place="")
            afresh = SchemaComparison(
                self._old, self._new, today=self._today, verdicts=self._verdicts
            )
            self._verdicts[pair] = next(afresh.compare(old, new, probe), None) is None
        return self._verdicts[pair]


def _pair(old: Nodes, new: Nodes) -> _Pair:
    """Names two conjunctions by the places where they are written: the documents stay in memory."""
    return frozenset(map(id, old)), frozenset(map(id, new))


def _is_only_a_union(shape: Shape) -> bool:
    bare = replace(shape, one_of=(), any_of=(), discriminator=None, notes={})
    return bare == Shape()


def _assertion(keyword: str, spot: Spot, *, was: bool, now: bool) -> Change:
    words = keyword.split(" ", 1)[0]
    if not was:
        return spot.report(f"{words}-added", Effect.NARROWS, f"now has {keyword}")
    if not now:
        return spot.report(f"{words}-removed", Effect.WIDENS, f"no longer has {keyword}")
    return spot.report(f"{words}-changed", Effect.UNDECIDED, f"has another {keyword}")


def _reference(node: Node) -> str | None:
    if isinstance(node, bool):
        return None
    name = node.get("$ref") or node.get("title")
    return name if isinstance(name, str) else None


def _share_a_name(old: Nodes, new: Nodes) -> bool:
    name = _reference(old[0])
    return name is not None and name == _reference(new[0])


def _label(node: Node, position: int) -> str:
    name = _reference(node)
    return name.rsplit("/", 1)[-1] if name else str(position + 1)
