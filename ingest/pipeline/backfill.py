"""What is stored of a source, and the older pages of its feed that join a document to it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from ingest.adapters.base import KnownEntry, ParsedDocument
from ingest.adapters.html_result import ANCHORS
from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.entry_changes import EntryChanges, as_known, decide, matched
from ingest.pipeline.gaps import REMEMBERED, Ends, Shown, gap_between, spans
from ingest.pipeline.identity import lookup_keys
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.parse import Document, read_older
from ingest.pipeline.request import asked_older
from ingest.pipeline.source_state import Job
from ingest.scheduling.schedule import WINDOW
from openapi.vocabulary import AdapterType
from storage.engine.database import Database
from storage.entries.documents import EntryText
from storage.entries.entry_writes import StoredEntry, entry_texts, known_entries, newest_entries
from storage.scheduling.gaps import NewGap, OpenGap, open_gaps

MOST_TRIES: Final = 24
"""How often older pages that cannot be had are asked for, to close a gap: once a look."""
MOST_PAGES: Final = 10
"""Pages of a feed that are read at one look, its document included."""


@dataclass(frozen=True, slots=True)
class History:
    """What is stored: the newest entries first, and the gaps that no document has closed.

    ``newest`` are those that a document is held against, ``stored`` those and more: as many as
    a document has twice over, dated in the future too.
    """

    newest: Sequence[StoredEntry]
    gaps: Sequence[OpenGap]
    stored: Sequence[StoredEntry]


@dataclass(frozen=True, slots=True)
class Caught:
    """What a document, with as many older pages as it needed, means for the stored entries.

    ``gap`` is one that opens, ``closed`` the keys of those that close, ``tries`` how often those
    that stay open could not be looked into by now. ``shown`` is what the document alone shows,
    for its snapshot.
    """

    changes: EntryChanges
    shown: EntryChanges
    gap: NewGap | None = None
    closed: Sequence[int] = field(default=())
    tries: Mapping[int, int | None] = field(default_factory=dict)


def anchors_of(db: Database, job: Job) -> list[KnownEntry]:
    """Return the newest stored entries of an html source, to compare its page with."""
    if job.adapter_type is not AdapterType.HTML or not job.entry_count:
        return []
    with db.read() as session:
        return [as_known(each) for each in newest_entries(session, job.source_id, most=ANCHORS)]


def history_of(db: Database, job: Job, *, entries: int, now: datetime) -> History:
    """Read what is stored of a source, for a document of so many entries."""
    if job.facts.last_success_at is None and not job.entry_count:
        return History([], [], [])  # nothing of it was ever stored
    most = max(2 * REMEMBERED, 2 * entries)
    with db.read() as session:
        newest = newest_entries(session, job.source_id, most=most) if job.entry_count else []
        past = [each for each in newest[: 2 * REMEMBERED] if each.published_at <= now]
        return History(
            past[:REMEMBERED],
            open_gaps(session, job.source_id, since=now - WINDOW),
            newest,
        )


def seeks_older(db: Database, job: Job, *, now: datetime) -> bool:
    """Tell whether older pages, which could not be had so far, are to be asked for again.

    A document that has not changed is then fetched all the same: it says where they are.
    """
    if not job.facts.open_gap:
        return False
    with db.read() as session:
        gaps = open_gaps(session, job.source_id, since=now - WINDOW)
    return any(each.tries is not None and each.tries < MOST_TRIES for each in gaps)


def catch_up(
    ingestion: Ingestion, job: Job, document: Document, history: History, *, now: datetime
) -> Caught:
    """Decide on a document, and on older pages too while something may lie between.

    Older pages are asked for when entries may have been missed, and at the first look at the
    releases of a repository, whose whole history is to be had.
    """
    parsed = document.parsed
    newest = history.stored[: 2 * len(parsed.entries)]
    found = shown = _decided(ingestion.db, job, parsed, now=now, newest=newest)
    caught = _held_against(found, shown, history, now=now)
    is_first = job.entry_count == 0 and job.adapter_type is AdapterType.GITHUB_RELEASES
    if not (is_first or caught.gap or len(caught.closed) < len(history.gaps)):
        return caught
    broke_off = False
    for older in _older_pages(ingestion, job, document, now=now):
        if isinstance(older, Failed):
            broke_off = True
            break
        parsed = replace(parsed, entries=(*parsed.entries, *older.entries))
        found = _decided(ingestion.db, job, parsed, now=now)
        caught = _held_against(found, shown, history, now=now)
        if not is_first and not caught.gap and len(caught.closed) == len(history.gaps):
            break
    return _tried(caught, history, broke_off=broke_off)


def _tried(caught: Caught, history: History, *, broke_off: bool) -> Caught:
    """Count a try that broke off; where the vendor has no more to show, there is none to count."""
    tries = {
        each.key: (each.tries or 0) + 1 if broke_off else None
        for each in history.gaps
        if each.key not in caught.closed
    }
    gap = caught.gap and replace(caught.gap, tries=1 if broke_off else None)
    return replace(caught, gap=gap, tries=tries)


def _decided(
    db: Database,
    job: Job,
    parsed: ParsedDocument,
    *,
    now: datetime,
    newest: Sequence[StoredEntry] | None = None,
) -> EntryChanges:
    """Decide with the stored entries that those of a document can be, however old they are.

    ``newest`` are twice as many as the document has, None if they are to be read here.
    """
    if not job.entry_count:
        return decide(job, matched(parsed, [], now=now), {})
    with db.read() as session:
        if newest is None:
            newest = newest_entries(session, job.source_id, most=2 * len(parsed.entries))
        ids, urls = lookup_keys(parsed.entries, map(as_known, newest))
        known = known_entries(session, job.source_id, ids=ids, urls=urls)
    stored = {each.key: each for each in (*known, *newest)}
    found = matched(parsed, list(stored.values()), now=now)
    return decide(job, found, _texts(db, found.keys))


def _texts(db: Database, keys: Sequence[int]) -> dict[int, EntryText]:
    if not keys:
        return {}
    with db.read() as session:
        return entry_texts(session, keys)


def _held_against(
    found: EntryChanges, shown: EntryChanges, history: History, *, now: datetime
) -> Caught:
    """Hold what was found against what was known.

    Entries of the future prove nothing where they stand above others, so they are left out; in a
    document that has no others they are all there is to go by.
    """
    has_past = any(each.published_at <= now for each in found.identified)
    newest = history.newest if has_past else history.stored[:REMEMBERED]
    known = [Shown(each.external_id, each.published_at, False) for each in newest]
    by_look = {(each.title, each.published_at): each.external_id for each in newest}
    document = []
    for each in found.identified:
        same = by_look.get((each.entry.title, each.published_at)) if each.is_new else None
        document.append(Shown(same or each.id, each.published_at, each.is_new and same is None))
    ends = gap_between(known, document)
    closed = [
        each.key
        for each in history.gaps
        if spans(document, before_id=each.before_id, known=each.known)
    ]
    return Caught(found, shown, None if ends is None else _as_gap(ends, known), closed)


def _as_gap(ends: Ends, known: Sequence[Shown]) -> NewGap:
    return NewGap(
        after_id=ends.after.id,
        after_at=ends.after.published_at,
        before_id=ends.before.id,
        before_at=ends.before.published_at,
        known=[each.id for each in known],
    )


def _older_pages(
    ingestion: Ingestion, job: Job, document: Document, *, now: datetime
) -> Iterator[ParsedDocument | Failed]:
    """Yield the pages before a document, one at a time, until the vendor has no more.

    The last one is how asking failed, if it did.
    """
    newer, entries = document.fetched, len(document.parsed.entries)
    seen = {newer.address}
    for page in range(2, MOST_PAGES + 1):
        outcome = asked_older(ingestion, job, newer, page=page, entries=entries, now=now)
        if isinstance(outcome, Failed):
            yield outcome
        if not isinstance(outcome, Fetched) or outcome.address in seen:
            return
        older = read_older(ingestion.parsers, job, outcome)
        if older is None or not older.entries:
            return
        yield older
        newer, entries = outcome, len(older.entries)
        seen.add(outcome.address)
