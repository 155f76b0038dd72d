"""Compares two schemas, and everything below them."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TypeAlias

from contract_diff.change import ContractChange, Effect, Side, Spot
from contract_diff.document import Document, Node, media_types
from contract_diff.objects import compare_discriminators, compare_objects, is_unsent
from contract_diff.shape import Nodes, Shape, shape_of
from contract_diff.values import (
    compare_default,
    compare_growing_values,
    compare_limits,
    compare_texts,
    compare_types,
    compare_values,
    shared_types,
)
from contract_diff.variants import label, overlap, pair_variants

_Pair: TypeAlias = tuple[frozenset[int], frozenset[int]]

_COMPARISONS = (
    compare_values, compare_growing_values, compare_limits, compare_texts, compare_default,
)  # fmt: skip
"""What compares the keywords of one schema, in the order of its reports."""
_WRITTEN_PLAINLY = frozenset({"integer", "number", "boolean"})
_DEEPEST = 40
"""How many variants within variants are looked into to see whether two schemas are the same."""


@dataclass(slots=True)
class SchemaComparison:
    """One pair of schemas, such as those of a body, with all schemas below them.

    Each pair of schemas below is compared once: a schema that refers to itself ends there, and a
    change in one that is used in several places is listed at the first of them.
    """

    old: Document
    new: Document
    today: date | None
    verdicts: dict[_Pair, bool] = field(default_factory=dict)
    depth: int = 0
    _compared: set[tuple[_Pair, bool]] = field(default_factory=set, init=False)
    _waiting: deque[tuple[Nodes, Nodes, Spot]] = field(default_factory=deque, init=False)

    def compare(self, old: Nodes, new: Nodes, spot: Spot) -> Iterator[ContractChange]:
        """Yield the changes from the old schemas to the new ones, both read as a conjunction.

        What lies below waits its turn, level by level: contracts can be nested more deeply than
        functions can.
        """
        self._below(old, new, spot)
        while self._waiting:
            yield from self._level(*self._waiting.popleft())

    def _below(self, old: Nodes, new: Nodes, spot: Spot) -> None:
        pair = (_pair(old, new), spot.unsent)
        if pair not in self._compared:
            self._compared.add(pair)
            self._waiting.append((old, new, spot))

    def _level(self, old: Nodes, new: Nodes, spot: Spot) -> Iterator[ContractChange]:
        before, after = self._before(old), self._after(new)
        wrapped = self._wrapped(old, new, before, after, spot)
        if wrapped is not None:
            yield wrapped
            return
        yield from compare_types(before, after, spot)
        shared = shared_types(before, after)
        if not shared:
            return
        for compare_each in _COMPARISONS:
            yield from compare_each(before, after, spot)
        if "object" in shared:
            yield from self._objects(before, after, spot)
        if "array" in shared:
            self._below(before.items, after.items, spot.items())
        yield from self._unions("one-of", before, after, spot)
        yield from self._unions("any-of", before, after, spot)
        yield from compare_discriminators(before, after, spot)
        yield from self._ruled_out(before.ruled_out, after.ruled_out, spot)
        self._below(before.further, after.further, spot)

    def _before(self, nodes: Nodes) -> Shape:
        return self.old.remember(nodes, shape_of)

    def _after(self, nodes: Nodes) -> Shape:
        return self.new.remember(nodes, shape_of)

    def became_any_text(self, old: Nodes, new: Nodes) -> bool:
        """Return whether what was written as a number or a flag is now text without limits."""
        before, after = self._before(old), self._after(new)
        plain = replace(after, notes={}, nullable=False) == Shape(
            types=frozenset({"string"}), nullable=False
        )
        return plain and before.types is not None and before.types <= _WRITTEN_PLAINLY

    def _objects(self, before: Shape, after: Shape, spot: Spot) -> Iterator[ContractChange]:
        shapes = (self._before, self._after)
        yield from compare_objects(before, after, spot, shapes=shapes, today=self.today)
        for name in sorted(before.properties.keys() & after.properties.keys()):
            old, new = before.properties[name], after.properties[name]
            unsent = spot.unsent or is_unsent(self._before(old), self._after(new), spot.side)
            self._below(old, new, replace(spot.property(name), unsent=unsent))
        if not before.closed and not after.closed:
            others = replace(spot.property("*"), noun="each property without a name of its own")
            self._below(before.additional, after.additional, others)

    def _wrapped(
        self, old: Nodes, new: Nodes, before: Shape, after: Shape, spot: Spot
    ) -> ContractChange | None:
        """Return the change of a schema into a union that has it as a variant, or the reverse."""
        was, now = before.one_of + before.any_of, after.one_of + after.any_of
        wraps = now and not was and _is_only_a_union(after)
        twin = next((each for each in now if self._same(old, each)), None) if wraps else None
        if twin is not None and self._overlaps(twin, after):
            phrase = "is now one of several variants, of which another allows its values, too"
            return spot.report("one-of-variants-overlap", Effect.INCOMPARABLE, phrase)
        if twin is not None:
            phrase = "is now one of several variants, the one it was among them"
            return spot.report("became-union", Effect.WIDENS, phrase)
        unwraps = was and not now and _is_only_a_union(before)
        if unwraps and any(self._same(variant, new) for variant in was):
            phrase = "is now always what was one of several variants"
            return spot.report("became-one-variant", Effect.NARROWS, phrase)
        return None

    def _unions(
        self, name: str, before: Shape, after: Shape, spot: Spot
    ) -> Iterator[ContractChange]:
        """Compare unions; variants are paired by name, then by what they allow, in any order."""
        is_one_of = name == "one-of"
        old, new = (shape.one_of if is_one_of else shape.any_of for shape in (before, after))
        if not old or not new:
            if old or new:
                words = f"{name}-added" if new else f"{name}-removed"
                effect = Effect.NARROWS if new else Effect.WIDENS
                phrase = "is now one of several variants" if new else "no longer has variants"
                yield spot.report(words, effect, phrase)
            return
        pairs, gone, come = pair_variants(old, new, self._same)
        for was, now in pairs:
            self._below(was, now, spot.into(f"variant {label(now[0], new.index(now))}"))
        for was in gone:
            phrase = f"no longer has the variant {label(was[0], old.index(was))}"
            yield spot.report(f"{name}-variant-removed", Effect.NARROWS, phrase)
        for now in come:
            phrase = f"has the new variant {label(now[0], new.index(now))}"
            if is_one_of and self._overlaps(now, after):
                phrase += ", which allows values of another one: neither is then the only one"
                yield spot.report("one-of-variants-overlap", Effect.INCOMPARABLE, phrase)
            else:
                yield spot.report(f"{name}-variant-added", Effect.WIDENS, phrase)

    def _overlaps(self, variant: Nodes, union: Shape) -> bool:
        """Return whether a variant shares values with another one; a discriminator decides."""
        others = [self._after(other) for other in union.one_of if other is not variant]
        shape = self._after(variant)
        return union.discriminator is None and any(overlap(shape, other) for other in others)

    def _ruled_out(self, old: Nodes, new: Nodes, spot: Spot) -> Iterator[ContractChange]:
        """Compare what `not` rules out; its content is not compared further."""
        if new and not old:
            yield spot.report("not-added", Effect.NARROWS, "now has not")
        elif old and not new:
            yield spot.report("not-removed", Effect.WIDENS, "no longer has not")
        elif old and not self._same(old, new):
            yield spot.report("not-changed", Effect.UNDECIDED, "has another not")

    def _same(self, old: Nodes, new: Nodes) -> bool:
        """Return whether two schemas allow the same, by a comparison of their own.

        A pair that contains itself is taken to be the same until something differs, and
        so is one that lies very deep.
        """
        pair = _pair(old, new)
        if self.depth >= _DEEPEST:
            return True
        if pair not in self.verdicts:
            self.verdicts[pair] = True
            probe = Spot(side=Side.REQUEST, subject="schema", noun="the schema", place="")
            afresh = SchemaComparison(
                self.old, self.new, today=self.today, verdicts=self.verdicts, depth=self.depth + 1
            )
            self.verdicts[pair] = next(afresh.compare(old, new, probe), None) is None
        return self.verdicts[pair]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two documents, and the place and words of the operations that are compared.

    ``side`` sends the requests: the consumer, or in a callback the service. ``prefix`` begins the
    kinds of changes, ``place`` leads a reader to the operation.
    """

    old: Document
    new: Document
    today: date | None
    side: Side = Side.REQUEST
    prefix: str = ""
    place: str = ""

    def schemas(self) -> SchemaComparison:
        """Return a comparison of one pair of schemas."""
        return SchemaComparison(self.old, self.new, today=self.today)


def compare_written(
    schemas: SchemaComparison, old: Node, new: Node, spot: Spot
) -> Iterator[ContractChange]:
    """Compare the content of a parameter or a header: a schema, or one media type.

    Without a media type it is text, so that any text allows what a number or a flag did.
    """
    before, after = media_types(old), media_types(new)
    if before.keys() != after.keys():
        names = (", ".join(side) or "plain text" for side in (before, after))
        phrase = "is written as {1} instead of {0}".format(*names)
        yield spot.report("media-type-changed", Effect.INCOMPARABLE, phrase)
        return
    was, now = next(iter(before.values()), old), next(iter(after.values()), new)
    if not before and schemas.became_any_text(schema_in(was), schema_in(now)):
        yield spot.report("type-widened", Effect.WIDENS, "is now any text")
        return
    yield from schemas.compare(schema_in(was), schema_in(now), spot)


def schema_in(node: Node) -> Nodes:
    """Return the schema of a media type, a parameter or a header, if it has one."""
    return (node["schema"],) if "schema" in node else ()


def _pair(old: Nodes, new: Nodes) -> _Pair:
    """Return a key for two conjunctions: the identities of their nodes, which stay in memory."""
    return frozenset(map(id, old)), frozenset(map(id, new))


def _is_only_a_union(shape: Shape) -> bool:
    bare = replace(shape, one_of=(), any_of=(), discriminator=None, notes={})
    return bare == Shape()
