"""A step of a check: dates of releases without one, from the repository that the source names.

One page of the repository's releases or tags is read in a check, until all
undated releases have a date or there are no more pages (docs/decisions/0016).
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.content.repositories import only_repository, package_of
from ingest.fetching.outcomes import Failed, Failure, Fetched, Outcome
from ingest.pipeline.document import Document
from ingest.pipeline.entries import DifferingEntry, MatchedEntries
from ingest.pipeline.publication import EARLIEST, UNDATED
from ingest.pipeline.request import PER_PAGE, request_releases, request_tags
from ingest.pipeline.source_state import SourceToCheck
from ingest.scheduling.lookups import ReleaseWalk, Tries, after_failure
from openapi.vocabulary import AdapterType
from package_versions.tag_dates import Tag, release_dates, version_named, words_of
from storage.entries.documents import FUTURE_TOLERANCE

log = structlog.get_logger(__name__)

MOST_REQUESTS: Final = 12
"""Pages of releases and tags that are read for one source in all, one in a check."""
RELEASE: Final = "release"
"""The date source of an entry that is dated by its release or tag in the vendor's repository."""

_MOST_RELEASE_PAGES: Final = 3  # of a hundred releases each
_NOT_THERE: Final = frozenset({Failure.NOT_FOUND, Failure.GONE})


def date_releases(document: Document) -> Document:
    """Return a document whose undated releases have the dates of the repository's.

    A first reading starts anew, and what came to its end stays there.
    """
    source, entries = document.source, document.entries
    walk = ReleaseWalk(document.now) if entries.reading.is_first else document.lookups.releases
    if walk is None or walk.next_at > document.now:
        return document
    undated = _undated(entries)
    if not undated:
        return _with_walk(document, None)
    repository = repository_named(source, [entry.identified.entry for entry in undated])
    if repository is None:
        return _with_walk(document, None)
    words = words_of(source.name, source.vendor, repository.partition("/")[2])
    package = package_of(source.state.feed_url)
    wanted = _by_version(undated, words | words_of(package))
    if not wanted:
        return _with_walk(document, None)
    tags, walk = _read_page(document, repository, walk)
    dates = release_dates(tags, wanted.keys(), words, package=package)
    dated = [_dated(wanted[version], at) for version, at in dates.items()]
    entries = replace(entries, differing=_merged(entries.differing, dated))
    document = replace(document, entries=entries)
    return _with_walk(document, walk if len(dates) < len(wanted) else None)


def _with_walk(document: Document, walk: ReleaseWalk | None) -> Document:
    return replace(document, lookups=replace(document.lookups, releases=walk))


def _undated(entries: MatchedEntries) -> list[DifferingEntry]:
    """Return what is still undated, as it will be written."""
    differing = {entry.identified.id: entry for entry in entries.differing}
    current = (differing.get(entry.identified.id, entry) for entry in entries.undated)
    return [
        entry
        for entry in current
        if (entry.date_source == UNDATED or entry.stored is not None) and not entry.dated
    ]


def repository_named(source: SourceToCheck, entries: Sequence[ParsedEntry]) -> str | None:
    """Return the repository that the source is in or the catalog names, else that its entries do.

    Addresses that name several repositories name none.
    """
    own = only_repository([source.state.feed_url, *source.addresses])
    return own or only_repository(entry.url for entry in entries)


def _by_version(
    undated: Sequence[DifferingEntry], words: frozenset[str]
) -> dict[str, DifferingEntry]:
    """Return the entries that are about one version each, which no other entry is about."""
    versions = [version_named(entry.identified.entry.title, words) for entry in undated]
    return {
        version: entry
        for version, entry in zip(versions, undated, strict=True)
        if version is not None and versions.count(version) == 1
    }


def _read_page(
    document: Document, repository: str, walk: ReleaseWalk
) -> tuple[Sequence[Tag], ReleaseWalk | None]:
    """Return the tags of the next page, and where the walk goes on after it, None if nowhere.

    The releases come first where the API can be used, then tags.
    """
    ingestion, slug, now = document.ingestion, document.source.slug, document.now
    outcome: Outcome | None = None
    if walk.page:
        outcome = request_releases(ingestion, repository, page=walk.page, now=now)
    if outcome is None:
        walk = replace(walk, page=0)
        outcome = request_tags(ingestion, repository, after=walk.after, now=now)
    walk = replace(walk, requests=walk.requests + 1)
    if not isinstance(outcome, Fetched):
        log.info("releases not fetched", slug=slug, repository=repository)
        return (), _after_failure(walk, outcome, now=now)
    try:
        parsed = ingestion.parsers.parse(AdapterType.GITHUB_RELEASES, outcome)
    except UnreadableDocument as error:
        log.info("releases not read", slug=slug, reason=str(error))
        return (), _after_failure(walk, None, now=now)
    return _tags(parsed.entries, now=now), _after_page(walk, parsed.entries, now=now)


def _tags(entries: Sequence[ParsedEntry], *, now: datetime) -> list[Tag]:
    return [
        (str(entry.raw["tag_name"]), entry.published_at)
        for entry in entries
        if entry.published_at is not None
        and EARLIEST <= entry.published_at <= now + FUTURE_TOLERANCE
        and entry.raw.get("tag_name")
    ]


def _after_page(
    walk: ReleaseWalk, entries: Sequence[ParsedEntry], *, now: datetime
) -> ReleaseWalk | None:
    """Return where to go on after a page; None after the last one."""
    tags = [str(entry.raw.get("tag_name") or "") for entry in entries]
    if walk.requests >= MOST_REQUESTS:
        return None
    if walk.page:
        is_last = len(entries) < PER_PAGE or walk.page == _MOST_RELEASE_PAGES
        return replace(walk, next_at=now, failures=0, page=0 if is_last else walk.page + 1)
    if not tags or tags[-1] in {"", walk.after}:
        return None
    return replace(walk, next_at=now, failures=0, after=tags[-1])


def _after_failure(
    walk: ReleaseWalk, outcome: Outcome | None, *, now: datetime
) -> ReleaseWalk | None:
    """Return when to try again; releases that are not there leave the tags, tags nothing."""
    if isinstance(outcome, Failed) and outcome.failure in _NOT_THERE:
        return replace(walk, next_at=now, page=0) if walk.page else None
    tries = after_failure(Tries(walk.failures, now), now=now)
    if tries is None or walk.requests >= MOST_REQUESTS:
        return None
    return replace(walk, next_at=tries.next_at, failures=tries.failures)


def _dated(entry: DifferingEntry, at: datetime) -> DifferingEntry:
    identified = entry.identified._replace(published_at=at)
    return entry._replace(
        identified=identified, date_source=RELEASE, dated=entry.stored is not None
    )


def _merged(
    differing: Sequence[DifferingEntry], dated: Sequence[DifferingEntry]
) -> tuple[DifferingEntry, ...]:
    """Return the differing entries with those that were dated, also where nothing else differs."""
    by_id = {entry.identified.id: entry for entry in dated}
    kept = [by_id.pop(entry.identified.id, entry) for entry in differing]
    return (*kept, *by_id.values())
