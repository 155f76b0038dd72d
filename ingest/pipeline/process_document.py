"""The changes that a matched document makes in the database."""

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

from changelog_reader.snapshots.normalise import MAX_TEXT_BYTES
from changelog_reader.snapshots.wire import ServedTexts
from ingest.pipeline.check_result import CheckResult, DocumentChanges
from ingest.pipeline.classification import classify_in_child
from ingest.pipeline.entry_changes import EntryChanges, decide_entries
from ingest.pipeline.history import History
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.match import MatchedDocument
from ingest.pipeline.request import PARSER
from ingest.pipeline.snapshot_changes import SnapshotChange, compare_snapshots
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.fetch_state import Parsed
from openapi.vocabulary import Json
from storage.engine.database import Database
from storage.entries.documents import EntryText
from storage.entries.entry_writes import entry_texts, known_entries


def process(
    ingestion: Ingestion,
    source: LeasedSource,
    matched: MatchedDocument,
    history: History,
    *,
    now: datetime,
) -> CheckResult:
    """Decide what a document changes.

    GitHub's Atom feed, read in place of its API, has the same releases in other words: its new
    entries are stored, its edits are not.
    """
    document, gaps = matched.document, matched.gaps
    response, parsed = document.response, document.parsed
    entries = _decide(ingestion, source, matched)
    snapshot = None
    if response.is_fallback:
        entries = replace(entries, edited=())
    else:
        snapshot = compare_snapshots(
            source.adapter_type,
            parsed,
            [(entry.id, entry.entry) for entry in matched.shown],
            history.snapshot,
            served=partial(_served, ingestion.db, source, entries),
        )
    changes = DocumentChanges(
        entries=entries,
        snapshot=snapshot,
        gaps=gaps,
        recipe=document.recipe,
        lookups=matched.lookups,
    )
    outcome = Parsed(
        response.fetched,
        response.body_hash,
        PARSER,
        parsed.ttl,
        open_gap=gaps.are_open,
        is_cut=parsed.is_cut,
        written=_written(entries, snapshot),
    )
    return CheckResult(source, now, outcome, changes)


def _written(entries: EntryChanges, snapshot: SnapshotChange | None) -> int:
    """Return about how many bytes a document adds to the database."""
    records = (*entries.new, *(edit.written for edit in entries.edited))
    return sum(record.size for record in records) + (0 if snapshot is None else snapshot.size)


def _decide(ingestion: Ingestion, source: LeasedSource, matched: MatchedDocument) -> EntryChanges:
    keys, texts = matched.entries.stored_keys, {}
    if keys:
        with ingestion.db.read() as session:
            texts = entry_texts(session, keys)
    classify = partial(classify_in_child, ingestion.parsers, slug=source.slug)
    return decide_entries(source, matched.entries, texts, classify)


def _served(
    db: Database, source: LeasedSource, entries: EntryChanges, ids: Collection[str]
) -> ServedTexts:
    """Return what is served of entries before and after a document, so that diffs say the same."""
    with db.read() as session:
        stored = known_entries(session, source.source_id, ids=ids, urls=())
        texts = entry_texts(session, [entry.key for entry in stored])
    before = {text.external_id: _fields(text) for text in texts.values()}
    written = (*entries.new, *(edit.written for edit in entries.edited))
    return ServedTexts(
        before, before | {record.text.external_id: _fields(record.text) for record in written}
    )


def _fields(text: EntryText) -> dict[str, Json]:
    """Return the texts of an entry; a diff of one that is very long has its normalised text."""
    fields: dict[str, Json] = {"title": text.title, "url": text.url}
    is_long = len(text.summary or "") > MAX_TEXT_BYTES
    return fields if is_long else {**fields, "summary": text.summary}
