"""What a document means for the stored entries: which are new, which were edited. Pure."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import orjson
import structlog

from ingest.adapters.base import ParsedDocument, ParsedEntry
from ingest.bookkeeping import Job
from ingest.identity import IdentifiedEntry, KnownEntry, identify
from ingest.snapshots.snapshot import SeenEntry
from openapi.vocabulary import Json
from storage.archive import Edit, StoredEntry, WrittenEntry
from storage.deadlines import WrittenDeadline
from storage.documents import EntryText, documents_of, entry_object

if TYPE_CHECKING:
    from ingest.importance import Importance

log = structlog.get_logger(__name__)


class ReadWhole(Exception):
    """An item that was passed over is not the entry that it was; all have to be read."""


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """What to store. ``identified``: every entry of the document with its id, in its order."""

    new: Sequence[WrittenEntry] = ()
    edited: Sequence[Edit] = ()
    identified: Sequence[IdentifiedEntry] = ()


def decide(
    job: Job, document: ParsedDocument, stored: Sequence[StoredEntry], *, now: datetime
) -> EntryChanges:
    """Give every entry its id and sort them into new, edited and unchanged.

    An edit keeps the id and the publish time (docs/decisions, entries). Raises ReadWhole when an
    entry would have to be written of which no text was read.
    """
    identified = identified_entries(document, stored, now=now)
    by_id = {each.external_id: each for each in stored}
    new: list[WrittenEntry] = []
    edited: list[Edit] = []
    for each in identified:
        before = by_id.get(each.id)
        digest = content_hash(each.entry)
        if before is not None and before.content_hash == digest:
            continue
        if isinstance(each.entry, SeenEntry):
            raise ReadWhole
        written = _written(job, each, digest)
        if written is None:
            continue
        if before is None:
            new.append(written)
        else:
            edited.append(Edit(before, written))
    return EntryChanges(new, edited, identified)


def identified_entries(
    document: ParsedDocument, stored: Sequence[StoredEntry], *, now: datetime
) -> list[IdentifiedEntry]:
    """Give every entry of a document its id, in the light of what is stored."""
    return identify(document.entries, map(as_known, stored), first_seen_at=now)


def as_known(stored: StoredEntry) -> KnownEntry:
    """Return a stored entry as identity knows it."""
    return KnownEntry(stored.external_id, stored.url, stored.title, stored.published_at)


def content_hash(entry: ParsedEntry) -> str:
    """Return the SHA-256 of what makes an edit: title, url and text, nothing volatile."""
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
