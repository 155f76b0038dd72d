"""What a document means for the stored entries: which are new, which were edited. Pure."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import orjson
import structlog

from ingest.adapters.base import KnownEntry, ParsedDocument, ParsedEntry
from ingest.pipeline.identity import IdentifiedEntry, identify
from ingest.pipeline.source_state import Job
from ingest.snapshots.normalise import is_cut
from ingest.snapshots.snapshot import SeenEntry, normal_words
from openapi.vocabulary import Json
from storage.entries.deadlines import WrittenDeadline
from storage.entries.documents import EntryText, documents_of, entry_object
from storage.entries.entry_writes import Edit, StoredEntry, WrittenEntry

if TYPE_CHECKING:
    from ingest.importance import Importance

log = structlog.get_logger(__name__)


class ReadWhole(Exception):
    """An item that was passed over is not the entry that it was; all have to be read."""


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """What to store. ``identified``: every entry of the document with its id, in its order.

    ``reworded`` are the ids of those whose text is not the stored one and says the same.
    """

    new: Sequence[WrittenEntry] = ()
    edited: Sequence[Edit] = ()
    identified: Sequence[IdentifiedEntry] = ()
    reworded: Collection[str] = ()


class Unlike(NamedTuple):
    """An entry whose text is not stored like this, and what is stored of it, if anything is."""

    identified: IdentifiedEntry
    stored: StoredEntry | None
    content_hash: str


@dataclass(frozen=True, slots=True)
class Matched:
    """The entries of a document with their ids, in its order, and those of them that differ."""

    identified: Sequence[IdentifiedEntry]
    unlike: Sequence[Unlike]

    @property
    def keys(self) -> list[int]:
        """The keys of the stored entries whose texts have to be looked at."""
        return [each.stored.key for each in self.unlike if each.stored is not None]


def matched(document: ParsedDocument, stored: Sequence[StoredEntry], *, now: datetime) -> Matched:
    """Give every entry of a document its id and hold it against what is stored.

    Raises ReadWhole when an entry would have to be written of which no text was read.
    """
    identified = identify(document.entries, map(as_known, stored), first_seen_at=now)
    by_id = {each.external_id: each for each in stored}
    unlike = []
    for each in identified:
        before, digest = by_id.get(each.id), content_hash(each.entry)
        if before is not None and before.content_hash == digest:
            continue
        if isinstance(each.entry, SeenEntry):
            raise ReadWhole
        unlike.append(Unlike(each, before, digest))
    return Matched(identified, unlike)


def decide(job: Job, found: Matched, texts: Mapping[int, EntryText]) -> EntryChanges:
    """Sort the entries into new, edited and unchanged. ``texts`` are the stored ones by key.

    An edit keeps the id and the publish time (docs/decisions/0015).
    """
    new: list[WrittenEntry] = []
    edited: list[Edit] = []
    reworded: set[str] = set()
    for each, before, digest in found.unlike:
        text = None if before is None else texts.get(before.key)
        if text is not None and _says_the_same(each.entry, text):
            reworded.add(each.id)
            continue
        written = _written(job, each, digest)
        if written is None:
            continue
        if before is None:
            new.append(written)
        else:
            edited.append(Edit(before, written))
    return EntryChanges(new, edited, found.identified, reworded)


def _says_the_same(entry: ParsedEntry, stored: EntryText) -> bool:
    """Tell whether snapshots would show no difference.

    Of a long text they show the beginning, so there every difference counts.
    """
    said = normal_words(entry.title, entry.url, entry.summary)
    return said == normal_words(stored.title, stored.url, stored.summary) and not is_cut(said[2])


def as_known(stored: StoredEntry) -> KnownEntry:
    """Return a stored entry as identity knows it."""
    return KnownEntry(stored.external_id, stored.url, stored.title, stored.published_at)


def content_hash(entry: ParsedEntry) -> str:
    """Return the SHA-256 of title, url and text. Where it stays, nothing was edited."""
    if isinstance(entry, SeenEntry):
        return entry.content_hash
    parts = (entry.title, entry.url or "", entry.summary or "")
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _written(job: Job, identified: IdentifiedEntry, digest: str) -> WrittenEntry | None:
    entry = identified.entry
    text = EntryText(
        external_id=identified.id,
        source=job.slug,
        vendor=job.vendor,
        published_at=identified.published_at,
        title=entry.title,
        url=entry.url,
        summary=entry.summary,
        raw={**entry.raw, "date_source": _date_source(entry)},
        tags=job.tags,
    )
    from openapi.components import component_violations  # loads the contract, once there is news

    document = entry_object(text)
    broken = component_violations("ChangelogEntry", document)
    if broken:
        log.error(
            "entry left out, it breaks the contract",
            slug=job.slug,
            entry=identified.id,
            violations=[f"{each.where}: {each.sentence}" for each in broken],
        )
        return None
    from ingest.importance import IMPORTANCE_VERSION

    importance, deadlines = judged(text)
    return WrittenEntry(
        text=text,
        content_hash=digest,
        importance=importance,
        importance_version=IMPORTANCE_VERSION,
        deadlines=deadlines,
        documents=documents_of(document),
    )


def judged(text: EntryText) -> tuple[bytes | None, tuple[WrittenDeadline, ...]]:
    """Return the Importance object of an entry, None when it has none, and its deadlines."""
    from ingest.importance import classify  # its patterns are compiled once there is news

    found = classify(text.title, text.summary, published_at=text.published_at)
    deadlines = tuple(
        WrittenDeadline(each.kind, each.from_, each.to, each.evidence.text)
        for each in found.deadlines
    )
    return as_importance(found) if found.categories else None, deadlines


def _date_source(entry: ParsedEntry) -> str:
    return "first_seen" if entry.published_at is None else entry.date_source


def as_importance(importance: "Importance") -> bytes:
    """Write the Importance object of the contract."""
    written: dict[str, Json] = {
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
        written["deadlines"] = [
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
    return orjson.dumps(written)
