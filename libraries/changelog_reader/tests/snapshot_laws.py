"""Calculating with the changes of diffs, which is how their laws are tested."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import (
    Diff,
    Item,
    ItemChange,
    Placed,
    Snapshot,
    SnapshotEntry,
    Stats,
    entry_from_json,
)
from changelog_reader.vocabulary import ChangeOp

LEAVING = frozenset({ChangeOp.REMOVED, ChangeOp.ROLLED_OFF, ChangeOp.MOVED})
ARRIVING = frozenset({ChangeOp.ADDED, ChangeOp.MOVED})

_INVERSE = {
    ChangeOp.ADDED: ChangeOp.REMOVED,
    ChangeOp.REMOVED: ChangeOp.ADDED,
    ChangeOp.ROLLED_OFF: ChangeOp.ADDED,
    ChangeOp.CHANGED: ChangeOp.CHANGED,
    ChangeOp.MOVED: ChangeOp.MOVED,
}

AnyItem = TypeVar("AnyItem", SnapshotEntry, Block)


def apply(snapshot: Snapshot, changes: Iterable[ItemChange]) -> Snapshot:
    """Return the snapshot after the changes: exactly the one they were made towards."""
    entries, blocks = _split_kinds(changes)
    return replace(
        snapshot,
        entries=_rebuilt(snapshot.entries, entries),
        blocks=_rebuilt(snapshot.blocks, blocks),
    )


def invert(changes: Iterable[ItemChange]) -> tuple[ItemChange, ...]:
    """Return the changes that lead back. What had rolled off comes back as added."""
    return tuple(ItemChange(_INVERSE[change.op], change.after, change.before) for change in changes)


def _split_kinds(changes: Iterable[ItemChange]) -> tuple[list[ItemChange], list[ItemChange]]:
    """The changes of entries, and those of blocks."""
    entries: list[ItemChange] = []
    blocks: list[ItemChange] = []
    for change in changes:
        (blocks if isinstance(change.placed.item, Block) else entries).append(change)
    return entries, blocks


def _rebuilt(before: tuple[AnyItem, ...], changes: Sequence[ItemChange]) -> tuple[AnyItem, ...]:
    """Edit in place, take out what leaves, then put each arrival at its final position."""
    items: list[Item] = list(before)
    for change in changes:
        if change.before is not None:
            _check(before, change.before, exactly=change.op is not ChangeOp.MOVED)
        if change.op is ChangeOp.CHANGED:
            assert change.before is not None
            assert change.after is not None
            items[change.before.index] = change.after.item
    leaving = {change.before.index for change in changes if change.op in LEAVING and change.before}
    arriving: dict[int, Item] = {}
    for change in changes:
        if change.op in ARRIVING and change.after:
            came_from = change.before
            arriving[change.after.index] = (
                change.after.item if came_from is None else items[came_from.index]
            )
    steady = [item for index, item in enumerate(items) if index not in leaving]
    return cast("tuple[AnyItem, ...]", _interleaved(steady, arriving))


def _interleaved(steady: list[Item], arriving: dict[int, Item]) -> tuple[Item, ...]:
    size = len(steady) + len(arriving)
    rest = iter(steady)
    return tuple(arriving[index] if index in arriving else next(rest) for index in range(size))


def _check(before: Sequence[Item], placed: Placed, *, exactly: bool) -> None:
    found = before[placed.index] if 0 <= placed.index < len(before) else None
    assert found == placed.item if exactly else _key(found) == _key(placed.item)


def _key(item: Item | None) -> object:
    return item.id if isinstance(item, SnapshotEntry) else item


def diff_from_wire(wire: Mapping[str, Any]) -> Diff:
    """Return the diff that ``as_wire`` wrote. Raises KeyError for anything else.

    What was truncated does not come back.
    """
    stats = wire["stats"]
    return Diff(
        changes=tuple(map(_change_from_json, wire["changes"])),
        stats=Stats(
            added=stats["added"],
            changed=stats["changed"],
            removed=stats["removed"],
            rolled_off=stats["rolledOff"],
            unchanged=stats["unchanged"],
        ),
        truncated=wire["truncated"],
    )


def _change_from_json(change: Mapping[str, Any]) -> ItemChange:
    before, after = (
        None if body is None else Placed(body["index"], _item_from_json(body))
        for body in (change["before"], change["after"])
    )
    return ItemChange(ChangeOp(change["op"]), before, after)


def _item_from_json(body: Mapping[str, Any]) -> Item:
    if "heading" in body:
        return Block(tuple(body["heading"]), body["text"])
    return entry_from_json(body)
