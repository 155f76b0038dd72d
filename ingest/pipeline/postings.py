"""A step of a check: the postings of new entries of which the feed has only the beginning.

What the vendor's own page says takes the place of a teaser, once, before the
entry is stored. Where the page cannot be had, the teaser is stored, and the page tried again at
later checks, a few times.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import timedelta
from operator import attrgetter
from typing import Final
from urllib.parse import urlsplit

import structlog

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.adapters.html.posting import Posting, read_posting
from ingest.fetching.outcomes import Failed, Failure, Fetched
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.document import FEEDS, Document
from ingest.pipeline.entries import DifferingEntry
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.publication import FIRST_SEEN, UNDATED
from ingest.pipeline.request import ask
from ingest.sandbox.parsing import contained
from ingest.scheduling.lookups import Lookups, after_failure
from openapi.vocabulary import AdapterType, Json

log = structlog.get_logger(__name__)

MOST_POSTINGS: Final = 4
"""Postings that are fetched in one check, the newest first."""
OLDEST: Final = timedelta(days=90)
"""How old an entry may be whose posting is still fetched: what is older is history."""
LARGEST_BYTES: Final = 2 * 1024 * 1024
"""Bytes of a posting that are read."""
DEADLINE: Final = timedelta(seconds=10)
"""How long one posting may take, and no further one is asked for after three times that."""

_FOR_GOOD: Final = frozenset({Failure.DISALLOWED, Failure.ADDRESS_REFUSED, Failure.GONE})
_LONGEST_TEASER: Final = 1_000  # characters; a text of more is no teaser
SHORT_NOTES: Final = 200  # characters of a text beside a link to release notes
_CUT: Final = re.compile(
    r"(?:…|\.{3}|\[(?:…|\.{3}|&hellip;)\])\s*$"
    r"|(?:…|\.{3}|\])?\s*\b(?:read (?:more|on|the (?:full|rest|whole)[\w ]{0,24})|continue reading"
    r"[^\n]{0,80}|learn more|view (?:full )?(?:article|post))\s*[.…→»›]*\s*$"
    r"|(?:阅读更多|阅读全文|查看更多|続きを読む|weiterlesen|lire la suite|leer más|leia mais)"
    r"\s*[.…→»›]*$",
    re.IGNORECASE,
)
_FILE: Final = re.compile(
    r"\.(?:zip|dmg|pkg|exe|msi|gz|xz|bz2|7z|deb|rpm|apk|pdf|png|jpe?g|gif|mp[34])$", re.IGNORECASE
)


def add_postings(document: Document) -> Document:
    """Return a document whose new teasers have the text of their postings.

    So have those whose postings could not be had before and are to be tried again now.
    """
    now = document.now
    wanted = list(_wanted_postings(document))
    lookups = document.lookups
    if lookups.postings:
        lookups = _still_wanted(document, {entry.identified.id for entry, _ in wanted})
    if not wanted:
        return replace(document, lookups=lookups)
    full = {entry.identified.id: entry for entry in document.entries.differing}
    start = document.ingestion.now()
    for differing, address in wanted[:MOST_POSTINGS]:
        if document.ingestion.now() - start > 3 * DEADLINE:
            break
        identified = differing.identified
        posting = _fetched_posting(document, identified.entry, address)
        if isinstance(posting, Failed):
            tries = lookups.postings.get(identified.id)
            again = None if posting.failure in _FOR_GOOD else after_failure(tries, now=now)
            lookups = lookups.with_posting(identified.id, again)
        else:
            lookups = lookups.with_posting(identified.id, None)
            full[identified.id] = with_posting(differing, posting, address)
    entries = replace(document.entries, differing=tuple(full.values()))
    return replace(document, entries=entries, lookups=lookups)


def _still_wanted(document: Document, wanted: Collection[str]) -> Lookups:
    """Return what is looked for without the postings that are due and no longer ``wanted``.

    Nor are those of entries that the feed no longer shows.
    """
    lookups = document.lookups
    shown = {entry.id for entry in document.entries.identified}
    kept = {
        id_: tries
        for id_, tries in lookups.postings.items()
        if id_ in wanted or (id_ in shown and tries.next_at > document.now)
    }
    return replace(lookups, postings=kept)


def _wanted_postings(document: Document) -> Iterator[tuple[DifferingEntry, str]]:
    """Yield the entries whose posting is to be fetched, and its address; the newest first.

    They are new, or their posting is to be tried again.
    """
    source = document.source
    if source.adapter_type not in FEEDS:
        return
    candidates = [entry for entry in document.entries.differing if entry.stored is None]
    if document.lookups.postings:
        candidates += _to_try_again(document)
    newest_first = attrgetter("identified.published_at")
    for entry in sorted(candidates, key=newest_first, reverse=True):
        if document.now - OLDEST <= entry.identified.published_at:
            address = posting_address(entry.identified.entry, source.state.feed_url)
            if address is not None:
                yield entry, address


def _to_try_again(document: Document) -> Iterator[DifferingEntry]:
    """Yield the stored entries whose posting is to be tried again now."""
    due = {id_ for id_, tries in document.lookups.postings.items() if tries.next_at <= document.now}
    entries = document.entries
    differing = {entry.identified.id: entry for entry in entries.differing}
    for identified in entries.identified:
        stored = entries.stored.get(identified.id)
        if identified.id in due and stored is not None:
            unchanged = DifferingEntry(identified, stored, content_hash(identified.entry), "")
            yield differing.get(identified.id, unchanged)


def posting_address(entry: ParsedEntry, feed_address: str) -> str | None:
    """Return where the whole text of an entry is, if its feed says that it has only a part.

    It says so by a link to release notes beside no text of its own, or by a short text that
    ends in an ellipsis or in "Read more". A posting is looked for on the feed's own site;
    release notes may be anywhere.
    """
    text = entry.summary or ""
    notes = entry.raw.get("release_notes")
    if isinstance(notes, str):
        return notes if len(text) <= SHORT_NOTES and _is_page(notes) else None
    is_teaser = 0 < len(text) <= _LONGEST_TEASER and _CUT.search(text) is not None
    if not is_teaser or entry.url is None or not _is_page(entry.url):
        return None
    return entry.url if _on_one_site(entry.url, feed_address) else None


def _is_page(address: str) -> bool:
    return not _FILE.search(urlsplit(address).path)


def _on_one_site(one: str, other: str) -> bool:
    """Return whether two addresses are of one site, by their registered names.

    Two labels make such a name; three where the second is as short as in "co.uk".
    """
    return _site(one) == _site(other) is not None


def _site(address: str) -> str | None:
    labels = (urlsplit(address).hostname or "").split(".")
    if len(labels) < 2 or labels[-1].isdigit():
        return ".".join(labels) or None
    return ".".join(labels[-3 if len(labels[-2]) <= 3 else -2 :])


def _fetched_posting(document: Document, entry: ParsedEntry, address: str) -> Posting | Failed:
    """Fetch and read one posting; return a failure when it cannot be had, whatever the reason."""
    ingestion, slug = document.ingestion, document.source.slug
    outcome = ask(limited(ingestion), AdapterType.HTML, address, now=document.now)
    if not isinstance(outcome, Fetched):
        failed = outcome if isinstance(outcome, Failed) else Failed(Failure.NO_CONTENT)
        log.info("posting not fetched", slug=slug, reason=failed.failure.value)
        return failed
    arguments = (outcome.body, outcome.address, outcome.content_type, entry.title, entry.summary)
    try:
        return ingestion.parsers.run(posting_in_child, *arguments)
    except UnreadableDocument as error:
        log.info("posting not read", slug=slug, reason=str(error))
        return Failed(Failure.NOT_A_FEED, message=str(error))


def limited(ingestion: Ingestion) -> Ingestion:
    """Return ingestion that fetches no more than a posting may have."""
    policy = replace(ingestion.client.policy, max_bytes=LARGEST_BYTES, deadline=DEADLINE)
    return replace(ingestion, client=replace(ingestion.client, policy=policy))


@contained
def posting_in_child(
    body: bytes, address: str, content_type: str | None, title: str, teaser: str | None
) -> Posting:
    """Read a posting in this process; every failure is an UnreadableDocument."""
    return read_posting(
        body,
        address=address,
        content_type=content_type,
        title=title,
        teaser=_CUT.sub("", teaser or "") or None,
    )


def with_posting(differing: DifferingEntry, posting: Posting, address: str) -> DifferingEntry:
    """Return an entry with the text of its posting, compared by its teaser as before.

    A new one that nothing else dates has the date of its posting, and so has undated history.
    """
    identified, stored = differing.identified, differing.stored
    entry = identified.entry
    raw: dict[str, Json] = {**entry.raw, "html": posting.html, "posting": address}
    full = replace(entry, summary=posting.summary, html=posting.html, raw=raw)
    identified = identified._replace(entry=full)
    at = posting.published_at
    is_undated = (
        differing.date_source in {UNDATED, FIRST_SEEN}
        if stored is None
        else not (stored.listed or differing.dated)
    )
    if at is None or not is_undated:
        return differing._replace(identified=identified)
    dated = identified._replace(published_at=at)
    return differing._replace(identified=dated, date_source="posting", dated=stored is not None)
