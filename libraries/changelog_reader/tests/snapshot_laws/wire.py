"""A diff read back from what the contract shows: the laws need it, the service does not."""

from collections.abc import Mapping
from typing import Any

from changelog_reader.snapshots.changes import Diff, ItemChange, Placed, Stats
from changelog_reader.snapshots.encoding import block_from_json, entry_from_json
from changelog_reader.vocabulary import ChangeOp


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
    item_from_json = block_from_json if "block" in change else entry_from_json
    before, after = (
        None if body is None else Placed(body["index"], item_from_json(body))
        for body in (change["before"], change["after"])
    )
    return ItemChange(ChangeOp(change["op"]), before, after)
