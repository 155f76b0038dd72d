"""A diff as the contract shows it.

The heads of the two snapshots are not part of it: whoever stores them adds them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from ingest.adapters.base import Block
from ingest.snapshots.changes import Diff, ItemChange, Placed
from ingest.snapshots.encoding import (
    block_as_json,
    entry_as_json,
)
from ingest.snapshots.facts import facts_of
from ingest.snapshots.spans import spans
from openapi.vocabulary import ChangeOp, Json

#: Most bytes of JSON that the changes of one diff take.
MAX_DIFF_BYTES = 1024 * 1024

# Fields whose words are compared.
_TEXTS = frozenset({"title", "summary", "text"})


def as_wire(diff: Diff) -> dict[str, Json]:
    """Return ``stats``, ``truncated`` and ``changes`` of a diff, as the contract has them.

    ``before`` and ``after`` hold the item and its ``index``. ``fields`` lists what differs between
    them, long texts with their word ``spans``; for a moved item that is its ``index``. ``facts``
    are the silent edits. Changes beyond ``MAX_DIFF_BYTES`` are left out, which ``truncated`` says.
    """
    changes, is_cut = _within_bounds(diff)
    return {
        "stats": {
            "added": diff.stats.added,
            "changed": diff.stats.changed,
            "removed": diff.stats.removed,
            "rolledOff": diff.stats.rolled_off,
            "unchanged": diff.stats.unchanged,
        },
        "truncated": diff.truncated or is_cut,
        "changes": changes,
    }


def _within_bounds(diff: Diff) -> tuple[list[Json], bool]:
    """Return the changes from the front that fit, at least one, and whether any was left out.

    A text says the same up to four times, and a word that changed takes more room as a span than
    in the text: the first change loses its spans before it is left out.
    """
    fitting: list[Json] = []
    room = MAX_DIFF_BYTES
    for change in diff.changes:
        body = _change_as_json(change, diff)
        room -= len(orjson.dumps(body)) + len(",")
        if room < 0 and fitting:
            return fitting, True
        if room < 0:
            return [_without_spans(body)], True
        fitting.append(body)
    return fitting, False


def _without_spans(body: Mapping[str, Any]) -> dict[str, Json]:
    fields = [
        {name: value for name, value in field.items() if name != "spans"}
        for field in body["fields"]
    ]
    return {**body, "fields": fields}


def _change_as_json(change: ItemChange, diff: Diff) -> dict[str, Json]:
    placed = change.placed
    key: dict[str, Json]
    if isinstance(placed.item, Block):
        key = {"block": {"heading": list(placed.item.heading), "index": placed.index}}
    else:
        key = {"entryId": placed.item.id}
    before, after = _body(change.before), _body(change.after)
    return {
        "op": change.op.value,
        **key,
        "before": before,
        "after": after,
        "fields": list(_fields(change.op, before, after)) if before and after else [],
        "facts": [
            {"type": fact.type.value, "path": fact.path, "detail": fact.detail}
            for fact in facts_of(change, diff.changes)
        ],
    }


def _body(placed: Placed | None) -> dict[str, Json] | None:
    if placed is None:
        return None
    item = placed.item
    body = block_as_json(item) if isinstance(item, Block) else entry_as_json(item)
    return {"index": placed.index, **body}


def _fields(
    op: ChangeOp, before: Mapping[str, Json], after: Mapping[str, Json]
) -> Iterator[dict[str, Json]]:
    """Yield what differs, in the order of the fields; in a move that is the index."""
    names = ["index"] if op is ChangeOp.MOVED else [*dict.fromkeys([*before, *after])][1:]
    for name in names:
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        field: dict[str, Json] = {"path": name, "before": old, "after": new}
        if name in _TEXTS and isinstance(old, str) and isinstance(new, str):
            words = spans(old, new)
            if any(span.op == "equal" for span in words):
                field["spans"] = [{"op": span.op, "text": span.text} for span in words]
        yield field
