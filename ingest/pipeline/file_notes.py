"""A step of a check: notes that a repository on demand keeps in a file instead of its releases.

A tag has no notes, and many a release only points to the file. It is read at the newest tag,
whenever a release without notes of its own is new (docs/decisions/0139).
"""

from dataclasses import replace
from typing import Final
from urllib.parse import quote

import structlog

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.adapters.html.posting import Posting
from changelog_reader.content.repositories import only_repository
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.document import Document
from ingest.pipeline.entries import DifferingEntry
from ingest.pipeline.html_document import parse_page_in_child
from ingest.pipeline.identity import IdentifiedEntry
from ingest.pipeline.postings import SHORT_NOTES, limited, with_posting
from ingest.pipeline.request import ask
from openapi.vocabulary import AdapterType
from package_versions.tag_dates import version_named, words_of

log = structlog.get_logger(__name__)

FILES: Final = (
    *("CHANGELOG.md", "CHANGES.md", "HISTORY.md", "RELEASES.md", "NEWS.md"),
    *("CHANGELOG.rst", "CHANGES.rst", "HISTORY.rst", "CHANGELOG", "CHANGES", "docs/CHANGELOG.md"),
)
"""Where repositories keep their notes, in the order in which they are tried."""


def add_file_notes(document: Document) -> Document:
    """Return a document whose releases without notes have those of the repository's file."""
    source, entries = document.source, document.entries
    if not source.on_demand:
        return document
    repository = only_repository(source.addresses)
    bare = [entry for entry in document.shown if _is_bare(entry.entry)]
    new = {entry.identified.id for entry in entries.differing if entry.stored is None}
    if repository is None or new.isdisjoint(entry.id for entry in bare):
        return document
    newest = max(document.shown, key=lambda entry: entry.published_at)
    address, sections = _read_file(document, repository, _tag(newest))
    words = words_of(source.name, source.vendor, repository.partition("/")[2])
    notes = {version_named(section.title, words): section for section in sections}
    differing = {entry.identified.id: entry for entry in entries.differing}
    for entry in bare:
        version = version_named(_tag(entry), words)
        section = notes.get(version) if version is not None else None
        text = section.summary or "" if section is not None else ""
        if section is not None and len(text) > len(entry.entry.summary or ""):
            posting = Posting(str(section.raw.get("html") or ""), text, None)
            kept = differing.get(entry.id) or _unchanged(document, entry)
            differing[entry.id] = with_posting(kept, posting, address)
    return replace(document, entries=replace(entries, differing=tuple(differing.values())))


def _is_bare(entry: ParsedEntry) -> bool:
    return len(entry.summary or "") <= SHORT_NOTES


def _tag(entry: IdentifiedEntry) -> str:
    return str(entry.entry.raw.get("tag_name") or entry.entry.title)


def _unchanged(document: Document, entry: IdentifiedEntry) -> DifferingEntry:
    stored = document.entries.stored[entry.id]
    return DifferingEntry(entry, stored, content_hash(entry.entry), "")


def _read_file(
    document: Document, repository: str, tag: str
) -> tuple[str, tuple[ParsedEntry, ...]]:
    """Return the address and the sections of the first file with entries; without one, none."""
    ingestion = limited(document.ingestion)
    for name in FILES:
        address = f"{ingestion.github_files}/{repository}/{quote(tag)}/{name}"
        outcome = ask(ingestion, AdapterType.GITHUB_RELEASES, address, now=document.now)
        if isinstance(outcome, Failed) and outcome.failure is not Failure.NOT_FOUND:
            break  # a site that hangs costs one request
        if not isinstance(outcome, Fetched):
            continue
        body = (outcome.body, outcome.address, outcome.content_type)
        try:
            page = ingestion.parsers.run(parse_page_in_child, *body, None, ())
        except UnreadableDocument as error:
            log.info("file of notes not read", slug=document.source.slug, reason=str(error))
            continue
        if page.document.entries:
            return address, page.document.entries
    return "", ()
