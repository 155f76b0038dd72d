"""One source, from its address to the rows: fetch, read, identify, classify, compare, store.

No session is open during network time, and all that a look finds is stored in one transaction:
killed anywhere, nothing is lost and nothing doubled.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy.orm import Session

from ingest.adapters import PARSER_VERSION
from ingest.adapters.base import BlockedDocument, ParsedDocument, UnreadableDocument
from ingest.bookkeeping import Job, load_job, store_facts
from ingest.client import ACCEPT, Client
from ingest.comparing import Comparison, compared, store
from ingest.facts import Read, Recognised, Result, after, no_entries
from ingest.fetch import fetch
from ingest.outcomes import Failed, Failure, Fetched, NotModified, Outcome
from ingest.robots import Robots, refusal, robots_address, robots_of
from ingest.sandbox import ParserPool, ParserTimeout
from ingest.schedule import cadence
from ingest.writing import EntryChanges, decide, identified_entries
from openapi.vocabulary import AdapterType, Json
from storage.archive import (
    StoredEntry,
    known_entries,
    newest_entries,
    publish_times,
    save_entries,
)
from storage.database import Database
from storage.diffs import last_snapshot

PARSER = str(PARSER_VERSION)


@dataclass(frozen=True, slots=True)
class GithubApi:
    """Access to the releases API of GitHub; without it the Atom feeds are read."""

    address: str
    token: str


@dataclass(frozen=True, slots=True)
class Ingestion:
    """What a look needs of the world."""

    db: Database
    client: Client
    parsers: ParserPool
    now: Callable[[], datetime]
    github: GithubApi | None = None
    robots: dict[str, Robots] = field(default_factory=dict)  # by address, kept for a day


class Look(StrEnum):
    """How a look at a source ended."""

    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of a look. ``message`` says why it failed, to the operator."""

    slug: str
    look: Look
    new: int = 0
    edited: int = 0
    message: str | None = None

    def as_fields(self) -> dict[str, Json]:
        """Return what a log line says."""
        told = {"slug": self.slug, "look": self.look.value, "new": self.new, "edited": self.edited}
        return {**told} if self.message is None else {**told, "message": self.message}

    def as_line(self) -> str:
        """Return a line for people."""
        if self.message is not None:
            return f"{self.slug}: {self.look.value}: {self.message}"
        return f"{self.slug}: {self.look.value}, {self.new} new, {self.edited} edited"


def look_at(ingestion: Ingestion, source_id: int) -> Report:
    """Look at one source and store everything that came of it."""
    with ingestion.db.read() as session:
        job = load_job(session, source_id)
    now = ingestion.now()
    outcome = _asked(ingestion, job, now=now)
    result, document = _read(ingestion.parsers, job, outcome)
    changes, comparison = EntryChanges(), None
    if document is not None:
        with ingestion.db.read() as session:
            stored = _stored(session, source_id, document, now=now)
            last = last_snapshot(session, source_id)
        changes = decide(job, document, stored, now=now)
        comparison = compared(job.adapter_type, document, changes.identified, last)
    with ingestion.db.write() as session:
        _store(session, job, result, changes, comparison, now=now)
    return _report(job, result, changes)


def _asked(ingestion: Ingestion, job: Job, *, now: datetime) -> Outcome:
    """Fetch the document, unless the site's rules for robots forbid it."""
    forbidden = _forbidden(ingestion, job, now=now)
    if forbidden is not None:
        return forbidden
    question = _question(job, ingestion.github)
    outcome = fetch(
        ingestion.client,
        question.address,
        now=now,
        accept=question.accept,
        known=job.facts.validators_for(PARSER),
        headers=question.headers,
    )
    if question.address != job.facts.feed_url and not isinstance(outcome, Failed):
        return replace(outcome, permanent_address=None)  # not where the feed has moved
    return outcome


def _forbidden(ingestion: Ingestion, job: Job, *, now: datetime) -> Failed | None:
    """Ask robots.txt about pages; feeds and APIs are made for programs."""
    if job.adapter_type is not AdapterType.HTML:
        return None
    page = job.facts.feed_url
    site = robots_address(page)
    rules = robots_of(ingestion.client, page, known=ingestion.robots.get(site), now=now)
    ingestion.robots[site] = rules
    return refusal(rules, page, now=now)


@dataclass(frozen=True, slots=True)
class _Question:
    address: str
    accept: str
    headers: Mapping[str, str] = field(default_factory=dict)


def _question(job: Job, github: GithubApi | None) -> _Question:
    """Say what to ask, and how: the releases API where there is a token for it."""
    address, accept = job.facts.feed_url, ACCEPT[job.adapter_type]
    releases = "/releases.atom"
    if (
        github is None
        or job.adapter_type is not AdapterType.GITHUB_RELEASES
        or not address.endswith(releases)
    ):
        return _Question(address, accept)
    repository = address.removesuffix(releases).removeprefix("https://github.com/")
    return _Question(
        address=f"{github.address}/repos/{repository}/releases?per_page=100",
        accept="application/vnd.github+json",
        headers={
            "Authorization": f"Bearer {github.token}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )


def _read(parsers: ParserPool, job: Job, outcome: Outcome) -> tuple[Result, ParsedDocument | None]:
    if not isinstance(outcome, Fetched):
        return outcome, None
    body_hash = hashlib.sha256(outcome.body).hexdigest()
    if job.facts.knows(body_hash, PARSER):
        return Recognised(outcome), None
    try:
        document = parsers.parse(
            job.adapter_type,
            outcome.body,
            address=outcome.address,
            content_type=outcome.content_type,
        )
    except UnreadableDocument as error:
        return Failed(_failure_of(error), status=200, message=str(error)), None
    if not document.entries:
        failed = no_entries(job.adapter_type, known_entries=job.entry_count)
        if failed is not None:
            return failed, None
    return Read(outcome, body_hash, PARSER, document.ttl), document


def _failure_of(error: UnreadableDocument) -> Failure:
    if isinstance(error, BlockedDocument):
        return Failure.BLOCKED
    return Failure.PARSE_TIMEOUT if isinstance(error, ParserTimeout) else Failure.NOT_A_FEED


def _stored(
    session: Session, source_id: int, document: ParsedDocument, *, now: datetime
) -> list[StoredEntry]:
    """Return the stored entries that those of a document can be, however old they are."""
    entries = document.entries
    ids = {each.vendor_id for each in entries if each.vendor_id is not None}
    urls = {each.url for each in entries if each.url is not None}
    found = {
        each.key: each
        for each in (
            *known_entries(session, source_id, ids=ids, urls=urls),
            *newest_entries(session, source_id, most=2 * len(entries)),
        )
    }
    made = identified_entries(document, list(found.values()), now=now)
    new_ids = {each.id for each in made if each.is_new}
    found |= {each.key: each for each in known_entries(session, source_id, ids=new_ids, urls=())}
    return list(found.values())


def _store(
    session: Session,
    job: Job,
    result: Result,
    changes: EntryChanges,
    comparison: Comparison | None,
    *,
    now: datetime,
) -> None:
    save_entries(session, job.source_id, new=changes.new, edited=changes.edited, now=now)
    store(session, job.source_id, comparison, now=now)
    last = job.facts.last_attempt_at
    rhythm = None
    if isinstance(result, Read) or last is None or last.date() != now.date():
        rhythm = cadence(publish_times(session, job.source_id), now=now)
    facts = after(job.facts, result, now=now, cadence=rhythm)
    message = result.message if isinstance(result, Failed) else None
    store_facts(session, job.source_id, facts, message=message)


def _report(job: Job, result: Result, changes: EntryChanges) -> Report:
    match result:
        case Failed():
            return Report(job.slug, Look.FAILED, message=result.message or result.failure.value)
        case Read():
            return Report(job.slug, Look.FETCHED, new=len(changes.new), edited=len(changes.edited))
        case NotModified() | Recognised():
            return Report(job.slug, Look.UNCHANGED)
