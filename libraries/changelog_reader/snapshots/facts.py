"""Silent edits as typed facts: what a vendor did to an entry without publishing a new one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import ItemChange, SnapshotEntry
from changelog_reader.vocabulary import ChangeOp, FactType

SENTENCE = 5
"""A text is shortened or lengthened from this many words on: about one sentence."""
_SEVERITY = re.compile(
    r"\b(?:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|action required|breaking|critical"
    r"|data loss|deprecat(?:ed|es|ing|ion|ions)|discontinued|end[ -]of[ -](?:life|support)"
    r"|exploit(?:ed)?|incident|mandatory|outage|retire(?:d|ment)|security|severe|sunset|unsupported|urgent"
    r"|vulnerabilit(?:y|ies)|vulnerable)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """One silent edit.

    ``path`` names the field it is about, None for the whole entry. ``detail`` is the word or label
    that came or went, or the id of the entry that replaces this one; None for the other types.
    """

    type: FactType
    path: str | None = None
    detail: str | None = None


def facts_of(change: ItemChange, changes: Iterable[ItemChange]) -> tuple[Fact, ...]:
    """Return the silent edits in one change of a diff; ``changes`` are all of that diff.

    Adding, falling off the window and moving are not silent edits: they have none.
    """
    if change.op is ChangeOp.REMOVED and change.before is not None:
        removed = change.before.item
        return (_withdrawal(removed, changes),) if isinstance(removed, SnapshotEntry) else ()
    if change.op is not ChangeOp.CHANGED or change.before is None or change.after is None:
        return ()
    old, new = change.before.item, change.after.item
    if isinstance(old, SnapshotEntry) and isinstance(new, SnapshotEntry):
        return (
            *_about_fields(old, new),
            *_about_text("summary", old.summary or "", new.summary or ""),
            *_about_severity(_words_of(old), _words_of(new)),
            *_about_labels(old, new),
        )
    assert isinstance(old, Block)
    assert isinstance(new, Block)
    return (
        *_about_text("text", old.text, new.text),
        *_about_severity(_severity(old.text), _severity(new.text)),
    )


def _withdrawal(removed: SnapshotEntry, changes: Iterable[ItemChange]) -> Fact:
    """Return the withdrawal of an entry, or the entry that came in its place."""
    for change in changes:
        added = change.after.item if change.op is ChangeOp.ADDED and change.after else None
        if isinstance(added, SnapshotEntry) and _is_same_item(removed, added):
            return Fact(FactType.ENTRY_REISSUED, detail=added.id)
    return Fact(FactType.ENTRY_WITHDRAWN)


def _is_same_item(removed: SnapshotEntry, added: SnapshotEntry) -> bool:
    same_url = removed.url is not None and removed.url == added.url
    return same_url or (removed.title, removed.published_at) == (added.title, added.published_at)


def _about_fields(old: SnapshotEntry, new: SnapshotEntry) -> Iterable[Fact]:
    if old.title != new.title:
        yield Fact(FactType.TITLE_CHANGED, "title")
    if old.published_at is not None and old.published_at != new.published_at:
        yield Fact(_date_fact(old.published_at, new.published_at), "published_at")
    if old.url is not None and old.url != new.url:
        withdrawn = new.url is None
        yield Fact(FactType.LINK_WITHDRAWN if withdrawn else FactType.LINK_MOVED, "url")
    if old.tag_name is not None and old.tag_name != new.tag_name:
        yield Fact(FactType.TAG_MOVED, "tag_name")
    if old.prerelease and new.prerelease is False:
        yield Fact(FactType.PRERELEASE_PROMOTED, "prerelease")


def _date_fact(old: str, new: str | None) -> FactType:
    if new is None:
        return FactType.DATE_WITHDRAWN
    return FactType.DATE_MOVED_EARLIER if new < old else FactType.DATE_MOVED_LATER


def _about_text(path: str, old: str, new: str) -> Iterable[Fact]:
    grown = len(new.split()) - len(old.split())
    if grown <= -SENTENCE:
        yield Fact(FactType.TEXT_SHORTENED, path)
    if grown >= SENTENCE:
        yield Fact(FactType.TEXT_LENGTHENED, path)


def _about_severity(old: dict[str, str], new: dict[str, str]) -> Iterable[Fact]:
    """Yield severity words that came or went; one is removed when it is nowhere any more."""
    for word in sorted(old.keys() - new.keys()):
        yield Fact(FactType.SEVERITY_WORD_REMOVED, detail=old[word])
    for word in sorted(new.keys() - old.keys()):
        yield Fact(FactType.SEVERITY_WORD_ADDED, detail=new[word])


def _words_of(entry: SnapshotEntry) -> dict[str, str]:
    return _severity(f"{entry.title}\n{entry.summary or ''}")


def _severity(text: str) -> dict[str, str]:
    """Return severity words folded, each with its first spelling."""
    words: dict[str, str] = {}
    for word in _SEVERITY.findall(text):
        words.setdefault(word.casefold(), word)
    return words


def _about_labels(old: SnapshotEntry, new: SnapshotEntry) -> Iterable[Fact]:
    for label in sorted(set(old.labels) - set(new.labels)):
        yield Fact(FactType.LABEL_REMOVED, "labels", label)
    for label in sorted(set(new.labels) - set(old.labels)):
        yield Fact(FactType.LABEL_ADDED, "labels", label)
