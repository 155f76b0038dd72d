"""A diff as the contract shows it.

The heads of the two snapshots are not part of it: the caller adds them.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import orjson

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.facts import facts_of
from changelog_reader.snapshots.snapshot import (
    Diff,
    ItemChange,
    Placed,
    block_as_json,
    entry_as_json,
)
from changelog_reader.snapshots.spans import spans
from changelog_reader.vocabulary import ChangeOp, Json

MAX_DIFF_BYTES = 1024 * 1024
"""Most bytes of JSON that the changes of one diff take."""

# Fields whose words are compared.
_TEXTS = frozenset({"title", "summary", "text"})
Texts: TypeAlias = Mapping[str, Mapping[str, Json]]
"""Title, url and summary of entries as they are served, by their ids."""
ServedTexts: TypeAlias = tuple[Texts, Texts]
"""The texts of entries as served, before and after a change."""

UNKNOWN: Final[ServedTexts] = ({}, {})


def as_wire(diff: Diff, served: ServedTexts = UNKNOWN) -> dict[str, Json]:
    """Return ``stats``, ``truncated`` and ``changes`` of a diff, as the contract has them.

    Texts of entries are those that are ``served``; which of them differ, normalised ones say.

    ``before`` and ``after`` hold the item and its ``index``. ``fields`` lists what differs between
    them, long texts with their word ``spans``; for a moved item that is its ``index``. ``facts``
    are the silent edits. Changes beyond ``MAX_DIFF_BYTES`` are left out, which ``truncated`` says.

    A text says the same up to four times, and a word that changed takes more room as a span than
    in the text: the first change loses its spans before it is left out.
    """
    changes: list[Json] = []
    is_cut, room = False, MAX_DIFF_BYTES
    for change in diff.changes:
        body = _change_as_json(change, diff, served)
        room -= len(orjson.dumps(body)) + len(",")
        if is_cut := room < 0:
            if not changes:
                for field in body["fields"]:
                    field.pop("spans", None)
                changes.append(body)
            break
        changes.append(body)
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


def _change_as_json(change: ItemChange, diff: Diff, served: ServedTexts) -> dict[str, Any]:
    placed = change.placed
    key: dict[str, Json]
    if isinstance(placed.item, Block):
        key = {"block": {"heading": list(placed.item.heading), "index": placed.index}}
    else:
        key = {"entryId": placed.item.id}
    before, after = _body(change.before, served[0]), _body(change.after, served[1])
    fields: list[Json] = []
    if change.before and change.after and before and after:
        differing = _differing(change.op, _body(change.before, {}), _body(change.after, {}))
        fields = [_field(name, before.get(name), after.get(name)) for name in differing]
    return {
        "op": change.op.value,
        **key,
        "before": before or None,
        "after": after or None,
        "fields": fields,
        "facts": [
            {"type": fact.type.value, "path": fact.path, "detail": fact.detail}
            for fact in facts_of(change, diff.changes)
        ],
    }


def _body(placed: Placed | None, served: Texts) -> dict[str, Json]:
    """Return an item with the texts that are served of it; empty where there is none."""
    if placed is None:
        return {}
    item = placed.item
    if isinstance(item, Block):
        return {"index": placed.index, **block_as_json(item)}
    return {"index": placed.index, **entry_as_json(item), **served.get(item.id, {})}


def _differing(
    op: ChangeOp, before: Mapping[str, Json], after: Mapping[str, Json]
) -> Iterator[str]:
    """Yield the names of the fields that differ, in their order; in a move that is the index."""
    names = ["index"] if op is ChangeOp.MOVED else [*dict.fromkeys([*before, *after])][1:]
    return (name for name in names if before.get(name) != after.get(name))


def _field(name: str, old: Json, new: Json) -> dict[str, Json]:
    field: dict[str, Json] = {"path": name, "before": old, "after": new}
    if name in _TEXTS and isinstance(old, str) and isinstance(new, str):
        words = spans(old, new)
        if any(op == "equal" for op, _ in words):
            field["spans"] = [{"op": op, "text": text} for op, text in words]
    return field
