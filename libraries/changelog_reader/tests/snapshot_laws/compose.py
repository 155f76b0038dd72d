"""Two lists of changes as one.

A list of changes says where single items leave and arrive; everything else keeps its order. That
makes a map from positions before to positions after, and such maps can be chained without the
snapshots they belong to.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from changelog_reader.snapshots.changes import Item, ItemChange, Placed, in_order, labelled
from changelog_reader.snapshots.snapshot import SnapshotEntry
from changelog_reader.vocabulary import ChangeOp
from snapshot_laws.apply import split_kinds


def compose(first: Iterable[ItemChange], second: Iterable[ItemChange]) -> tuple[ItemChange, ...]:
    """Changes that do what ``first`` and then ``second`` do; none when they cancel out.

    An item that went and came back is the same item: changed, moved or not mentioned at all.
    """
    return tuple(
        change
        for one, other in zip(split_kinds(first), split_kinds(second), strict=True)
        for change in in_order(_chained(_Script.of(one), _Script.of(other)))
    )


@dataclass(frozen=True, slots=True)
class _Script:
    """The changes of one kind, by position, and where the others go."""

    gone: dict[int, ItemChange]
    came: dict[int, ItemChange]
    edited: dict[int, ItemChange]
    moved: dict[int, ItemChange]
    origin: dict[int, int]
    leaving: list[int]
    arriving: list[int]

    @classmethod
    def of(cls, changes: Sequence[ItemChange]) -> "_Script":
        by_op: dict[ChangeOp, dict[int, ItemChange]] = defaultdict(dict)
        for change in changes:
            by_op[change.op][(change.before or change.placed).index] = change
        gone = by_op[ChangeOp.REMOVED] | by_op[ChangeOp.ROLLED_OFF]
        came, moved = by_op[ChangeOp.ADDED], by_op[ChangeOp.MOVED]
        origin = {change.placed.index: index for index, change in moved.items()}
        return cls(
            gone=gone,
            came=came,
            edited=by_op[ChangeOp.CHANGED],
            moved=moved,
            origin=origin,
            leaving=sorted([*gone, *moved]),
            arriving=sorted([*(each.placed.index for each in came.values()), *origin]),
        )

    def forward(self, index: int) -> int | None:
        """Where the item at this position goes, None when it goes away."""
        if index in self.gone:
            return None
        if index in self.moved:
            return self.moved[index].placed.index
        return _nth_free(index - bisect_left(self.leaving, index), self.arriving)

    def backward(self, index: int) -> int | None:
        """Where the item now at this position was, None when it was not there."""
        if index in self.came:
            return None
        if index in self.origin:
            return self.origin[index]
        return _nth_free(index - bisect_left(self.arriving, index), self.leaving)


def _nth_free(rank: int, taken: list[int]) -> int:
    """The position with ``rank`` free positions in front, when those in ``taken`` are not free."""
    return rank + bisect_right([each - place for place, each in enumerate(taken)], rank)


@dataclass(frozen=True, slots=True)
class _Journey:
    """An item over both lists: where and what it was and is, and whether it has to be moved."""

    op: ChangeOp
    was: Placed | None
    now: Placed | None
    loose: bool = True


def _chained(first: _Script, second: _Script) -> Iterator[ItemChange]:
    followed = [_followed(index, first, second) for index in _touched(first, second)]
    for each in _settled(_reunited([*followed, *_arrivals(first, second)])):
        if each.was is None or each.now is None:
            yield ItemChange(each.op, each.was, each.now)
            continue
        if each.was.item != each.now.item:
            yield ItemChange(ChangeOp.CHANGED, each.was, each.now)
        if each.loose:
            yield ItemChange(ChangeOp.MOVED, labelled(each.was), labelled(each.now))


def _touched(first: _Script, second: _Script) -> set[int]:
    """Positions before, of the items that either list mentions."""
    later = map(first.backward, [*second.gone, *second.moved, *second.edited])
    return {*first.gone, *first.moved, *first.edited, *(each for each in later if each is not None)}


def _followed(index: int, first: _Script, second: _Script) -> _Journey:
    between = first.forward(index)
    if between is None:
        return _Journey(first.gone[index].op, first.gone[index].before, None)
    steps = [(first, index), (second, between)]
    edits = [script.edited[place] for script, place in steps if place in script.edited]
    moves = [script.moved[place] for script, place in steps if place in script.moved]
    after = second.forward(between)
    if after is None:
        end = second.gone[between]
        return _Journey(end.op, Placed(index, _item((edits or [end])[0].before)), None)
    mentions = edits or moves
    was = Placed(index, _item(mentions[0].before))
    now = Placed(after, _item(mentions[-1].after))
    return _Journey(ChangeOp.MOVED, was, now, loose=bool(moves))


def _item(placed: Placed | None) -> Item:
    assert placed is not None
    return placed.item


def _arrivals(first: _Script, second: _Script) -> Iterator[_Journey]:
    for between, change in first.came.items():
        after = second.forward(between)
        if after is not None:
            change = second.edited.get(between, change)
            yield _Journey(ChangeOp.ADDED, None, Placed(after, _item(change.after)))
    for change in second.came.values():
        yield _Journey(ChangeOp.ADDED, None, change.after)


def _reunited(journeys: Sequence[_Journey]) -> list[_Journey]:
    """An item that went with the first list and came with the second never went."""
    going: dict[Hashable, list[_Journey]] = defaultdict(list)
    for each in journeys:
        if each.was is not None and each.now is None:
            going[_identity(each.was.item)].append(each)
    found: list[_Journey] = []
    back: set[int] = set()
    for each in journeys:
        if (
            each.was is None
            and each.now is not None
            and (waiting := going[_identity(each.now.item)])
        ):
            gone = waiting.pop(0)
            back.add(id(gone))
            found.append(_Journey(ChangeOp.MOVED, gone.was, each.now))
        else:
            found.append(each)
    return [each for each in found if id(each) not in back]


def _identity(item: Item) -> Hashable:
    return item.id if isinstance(item, SnapshotEntry) else item


def _settled(journeys: Sequence[_Journey]) -> Iterator[_Journey]:
    """Moves that lead where the item would stand anyway are no moves."""
    loose = [journey for journey in journeys if journey.loose]
    leaving = sorted(each.was.index for each in loose if each.was)
    arriving = sorted(each.now.index for each in loose if each.now)
    for each in journeys:
        if not each.loose or each.was is None or each.now is None:
            yield each
            continue
        was, now = each.was.index, each.now.index
        leaving.remove(was)
        arriving.remove(now)
        steady = was - bisect_left(leaving, was) == now - bisect_left(arriving, now)
        if not steady:
            insort(leaving, was)
            insort(arriving, now)
        yield _Journey(each.op, each.was, each.now, loose=not steady)
