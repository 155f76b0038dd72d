"""The parts of a diff. Positions are part of a change, so that it can be applied."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import SnapshotEntry
from changelog_reader.vocabulary import ChangeOp

#: Most changes one diff lists.
MAX_CHANGES = 500

#: Most text one diff carries, in characters over all befores and afters. How many bytes of JSON
#: that may be is bounded where it is written (``wire``).
MAX_DIFF_CHARACTERS = 1024 * 1024

Item = SnapshotEntry | Block

_ORDER = (ChangeOp.CHANGED, ChangeOp.REMOVED, ChangeOp.ADDED, ChangeOp.MOVED, ChangeOp.ROLLED_OFF)


@dataclass(frozen=True, slots=True)
class Placed:
    """An item and where it stands among the entries, or the blocks, of its snapshot (from 0)."""

    index: int
    item: Item


@dataclass(frozen=True, slots=True)
class ItemChange:
    """A change of one entry or block.

    ``before`` is None for added, ``after`` is None for removed and rolled_off. An item that was
    both edited and moved has two changes, and its moved one carries no summary.
    """

    op: ChangeOp
    before: Placed | None
    after: Placed | None

    @property
    def placed(self) -> Placed:
        """Where the item is now, or was last."""
        place = self.after or self.before
        assert place is not None
        return place


class Stats(NamedTuple):
    """Counts of entries and blocks by change, before anything is truncated.

    A moved item counts by its content: as changed when that changed too, else as unchanged. So
    added + changed + unchanged is the size after, removed + rolled_off + changed + unchanged the
    size before.
    """

    added: int
    changed: int
    removed: int
    rolled_off: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class Diff:
    """The changes between two snapshots, at least one.

    ``truncated``: changes were left out (more than MAX_CHANGES or MAX_DIFF_CHARACTERS), or a text
    had been cut. Applied to the state before, a diff that is not truncated gives the state after.
    """

    changes: tuple[ItemChange, ...]
    stats: Stats
    truncated: bool


def in_order(changes: Iterable[ItemChange]) -> list[ItemChange]:
    """Return the changes of one kind by operation, then by position.

    What can be read nowhere else comes first, so that truncation takes it last.
    """
    return sorted(changes, key=lambda change: (_ORDER.index(change.op), change.placed.index))


def labelled(placed: Placed) -> Placed:
    """Return a moved item with what it can be recognised by: its text did not move anywhere."""
    if isinstance(placed.item, Block):
        return placed
    return Placed(placed.index, placed.item._replace(summary=None))
