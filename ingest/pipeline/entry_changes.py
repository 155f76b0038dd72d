"""What a document changes about the stored entries: which are new, which were edited."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import orjson
import structlog

from ingest.adapters.base import KnownEntry, ParsedEntry
from ingest.importance import IMPORTANCE_VERSION, Importance, classify
from ingest.pipeline.identity import IdentifiedEntry, identify
from ingest.pipeline.source_state import LeasedSource
from ingest.snapshots.normalise import is_cut
from ingest.snapshots.snapshot import SkippedEntry, normal_words
from openapi.components import component_violations
from openapi.vocabulary import Json
from storage.entries.deadlines import DeadlineRecord
from storage.entries.documents import EntryText, documents_of, entry_object
from storage.entries.entry_writes import Edit, EntryRecord, StoredEntry

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """The entries to store.

    ``reworded`` are the ids of those whose text is not the stored one and says the same.
    """

    new: Sequence[EntryRecord] = ()
    edited: Sequence[Edit] = ()
    reworded: Collection[str] = ()


class DifferingEntry(NamedTuple):
    """An entry whose text is not the stored one, and what is stored of it, if anything is."""

    identified: IdentifiedEntry
    stored: StoredEntry | None
    content_hash: str


@dataclass(frozen=True, slots=True)
class MatchedEntries:
    """The entries of a document with their ids, in its order, and those of them that differ.

    ``needs_skipped``: one that the parser skipped differs, so its text is needed.
    """

    identified: Sequence[IdentifiedEntry]
    differing: Sequence[DifferingEntry]
    needs_skipped: bool

    @property
    def stored_keys(self) -> list[int]:
        """The keys of the stored entries whose texts have to be compared."""
        return [each.stored.key for each in self.differing if each.stored is not None]


def match_stored(
    parsed: Sequence[ParsedEntry], stored: Sequence[StoredEntry], *, now: datetime
) -> MatchedEntries:
    """Give every parsed entry its id and compare it with the stored one."""
    identified = identify(parsed, map(as_known, stored), first_seen_at=now)
    by_id = {each.external_id: each for each in stored}
    differing = []
    for each in identified:
        before, digest = by_id.get(each.id), content_hash(each.entry)
        if before is None or before.content_hash != digest:
            differing.append(DifferingEntry(each, before, digest))
    needs_skipped = any(isinstance(each.identified.entry, SkippedEntry) for each in differing)
    return MatchedEntries(identified, differing, needs_skipped)


def decide_entries(
    source: LeasedSource, matched: MatchedEntries, texts: Mapping[int, EntryText]
) -> EntryChanges:
    """Sort the entries into new, edited and unchanged. ``texts`` are the stored ones by key.

    An edit keeps the id and the publish time (docs/decisions/0015).
    """
    new: list[EntryRecord] = []
    edited: list[Edit] = []
    reworded: set[str] = set()
    for identified, stored, digest in matched.differing:
        text = None if stored is None else texts.get(stored.key)
        if text is not None and _says_the_same(identified.entry, text):
            reworded.add(identified.id)
            continue
        written = _written(source, identified, digest)
        if written is None:
            continue
        if stored is None:
            new.append(written)
        else:
            edited.append(Edit(stored, written))
    return EntryChanges(new, edited, reworded)


def _says_the_same(entry: ParsedEntry, stored: EntryText) -> bool:
    """Tell whether snapshots would show no difference.

    Of a long text they show the beginning, so there every difference counts.
    """
    words = normal_words(entry.title, entry.url, entry.summary)
    return words == normal_words(stored.title, stored.url, stored.summary) and not is_cut(words[2])


def as_known(stored: StoredEntry) -> KnownEntry:
    """Return what identity needs to know of a stored entry."""
    return KnownEntry(stored.external_id, stored.url, stored.title, stored.published_at)


def content_hash(entry: ParsedEntry) -> str:
    """Return the SHA-256 of title, url and text; an entry with the same was not edited."""
    if isinstance(entry, SkippedEntry):
        return entry.content_hash
    parts = (entry.title, entry.url or "", entry.summary or "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _written(source: LeasedSource, identified: IdentifiedEntry, digest: str) -> EntryRecord | None:
    entry = identified.entry
    text = EntryText(
        external_id=identified.id,
        source=source.slug,
        vendor=source.vendor,
        published_at=identified.published_at,
        title=entry.title,
        url=entry.url,
        summary=entry.summary,
        raw={**entry.raw, "date_source": _date_source(entry)},
        tags=source.tags,
    )
    document = entry_object(text)
    violations = component_violations("ChangelogEntry", document)
    if violations:
        log.error(
            "entry left out because it violates the contract",
            slug=source.slug,
            entry=identified.id,
            violations=[f"{each.where}: {each.sentence}" for each in violations],
        )
        return None
    importance, deadlines = importance_of(text)
    return EntryRecord(
        text=text,
        content_hash=digest,
        importance=importance,
        importance_version=IMPORTANCE_VERSION,
        deadlines=deadlines,
        documents=documents_of(document),
    )


def importance_of(text: EntryText) -> tuple[bytes | None, tuple[DeadlineRecord, ...]]:
    """Return the Importance object of an entry, None when it has none, and its deadlines."""
    importance = classify(text.title, text.summary, published_at=text.published_at)
    deadlines = tuple(
        DeadlineRecord(each.kind, each.from_, each.to, each.evidence.text)
        for each in importance.deadlines
    )
    return _importance_object(importance) if importance.categories else None, deadlines


def _date_source(entry: ParsedEntry) -> str:
    return "first_seen" if entry.published_at is None else entry.date_source


def _importance_object(importance: Importance) -> bytes:
    """Return the Importance object of the contract as JSON."""
    document: dict[str, Json] = {
        "categories": [each.value for each in importance.categories],
        "evidence": [
            {
                "category": each.category.value,
                "field": each.field,
                "text": each.text,
                "start": each.start,
                "end": each.end,
            }
            for each in importance.evidence
        ],
    }
    if importance.deadlines:
        document["deadlines"] = [
            {
                "kind": each.kind.value,
                "from": each.from_.isoformat(),
                "to": each.to.isoformat(),
                "evidence": {
                    "field": each.evidence.field,
                    "text": each.evidence.text,
                    "start": each.evidence.start,
                    "end": each.evidence.end,
                },
            }
            for each in importance.deadlines
        ]
    return orjson.dumps(document)
