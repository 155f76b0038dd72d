"""A document that came: read, identified, classified, compared, joined to what is stored.

Most looks bring none, so this and what it needs is loaded when the first one comes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import structlog
from sqlalchemy.orm import Session

from ingest.adapters.fast_feed import KnownItems
from ingest.fetching.outcomes import Failed, Fetched, NotModified
from ingest.pipeline import snapshot_changes as comparing
from ingest.pipeline.backfill import Caught, History, anchors_of, catch_up, history_of, seeks_older
from ingest.pipeline.entry_changes import EntryChanges, ReadWhole
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.item_cache import Past, completed, past_of, to_remember
from ingest.pipeline.parse import Document, hash_of, read, recognised
from ingest.pipeline.request import PARSER, Answer, asked_anew
from ingest.pipeline.snapshot_changes import Comparison, compared
from ingest.pipeline.source_state import Job
from ingest.scheduling.fetch_state import Read, Result
from storage.entries.entry_writes import save_entries
from storage.scheduling.gaps import NewGap, add_gap, close_gaps, note_tries
from storage.scheduling.item_cache import StoredItems, remember_items

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class News:
    """What a document means, to be stored together."""

    changes: EntryChanges
    comparison: Comparison | None = None
    gap: NewGap | None = None
    closed: tuple[int, ...] = ()
    tries: Mapping[int, int | None] = field(default_factory=dict)
    recipe: str | None = None
    seen: StoredItems | None = None


def understood(
    ingestion: Ingestion, job: Job, answer: Answer, *, now: datetime
) -> tuple[Result, News | None]:
    """Return how a look ends that brought a document, or whose source has a gap to be closed.

    Raises ClientClosed or ParserStopped when ingestion ends meanwhile.
    """
    seeks = seeks_older(ingestion.db, job, now=now)
    if seeks and isinstance(answer.outcome, NotModified):
        answer = asked_anew(ingestion, job, now=now) or answer
    if not isinstance(answer.outcome, Fetched):
        return answer.outcome, None
    body_hash = hash_of(answer.outcome)
    same = None if seeks else recognised(job, answer.outcome, body_hash)
    if same is not None:
        return same, None
    past = past_of(ingestion.db, job)
    try:
        return _read(ingestion, job, answer, body_hash, past, past.known, now=now)
    except ReadWhole:
        return _read(ingestion, job, answer, body_hash, past, None, now=now)


def _read(
    ingestion: Ingestion,
    job: Job,
    answer: Answer,
    body_hash: str,
    past: Past,
    items: KnownItems | None,
    *,
    now: datetime,
) -> tuple[Result, News | None]:
    """Read a document that came. Raises ReadWhole when no item of it may be passed over."""
    assert isinstance(answer.outcome, Fetched)
    anchors = anchors_of(ingestion.db, job)
    read_ = read(ingestion.parsers, job, answer.outcome, body_hash, known=anchors, items=items)
    if isinstance(read_, Failed):
        return read_, None
    history = history_of(ingestion.db, job, entries=read_.size, now=now)
    document = completed(ingestion.db, job, read_, past, newest=history.stored)
    if document is None:
        raise ReadWhole
    caught = catch_up(ingestion, job, document, history, now=now)
    return _news(job, answer, document, history, caught, past)


def _news(
    job: Job,
    answer: Answer,
    document: Document,
    history: History,
    caught: Caught,
    past: Past,
) -> tuple[Result, News]:
    changes, shown = caught.changes, caught.shown
    comparison = seen = None
    if answer.stands_in:  # the same releases in other words: news counts, wording does not
        changes = replace(changes, edited=())
    else:
        pairs = [(each.id, each.entry) for each in shown.identified]
        comparison = compared(
            job.adapter_type, document.parsed, pairs, past.last, before=past.state
        )
        state = past.last if comparison is None else comparison.written
        if state is not None:
            seen = to_remember(document, shown, history.stored, snapshot_hash=state.content_hash)
    open_gap = caught.gap is not None or len(caught.closed) < len(history.gaps)
    return (
        Read(document.fetched, document.body_hash, PARSER, document.parsed.ttl, open_gap),
        News(
            changes,
            comparison,
            caught.gap,
            tuple(caught.closed),
            caught.tries,
            document.recipe,
            seen,
        ),
    )


def store_news(session: Session, job: Job, news: News, *, now: datetime) -> None:
    """Store what a document means."""
    source_id, changes = job.source_id, news.changes
    save_entries(session, source_id, new=changes.new, edited=changes.edited, now=now)
    comparing.store(session, source_id, news.comparison, now=now)
    if news.seen is not None:
        remember_items(session, source_id, news.seen)
    if news.closed:
        close_gaps(session, news.closed, now=now)
    note_tries(session, news.tries)
    if news.gap is not None:
        log.warning("entries may have been missed", slug=job.slug, after=news.gap.after_id)
        add_gap(session, source_id, news.gap, now=now)
