"""Discovery of what could be followed at an address, with the guarded fetcher; stores nothing.

It tries, in this order: the releases of a GitHub repository, a feed at the address itself, feeds
and repositories that the page links to, feeds at customary addresses, the entries of the page; and
for the front page of a site, the same at customary addresses of changelogs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from changelog_reader.adapters.base import ParsedDocument, ParsedEntry, UnreadableDocument
from changelog_reader.content.repositories import repository_of
from ingest.discovery.candidates import (
    NamedFeed,
    changelog_addresses_to_try,
    feed_addresses_to_try,
    read_page_links,
)
from ingest.fetching.outcomes import Failed, Fetched
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.request import ask
from openapi.text import cut
from openapi.vocabulary import AdapterType, Json
from outbound.guard import AddressRefused
from outbound.transport import check_url
from storage.entries.documents import timestamp_or_none

MOST_FETCHES: Final = 30
MOST_NAMED: Final = 6  # feeds of one page that are tried
SAMPLES: Final = 5
FIRST_WORDS: Final = 120
"""Characters of a sample's text that are shown."""
NO_ENTRIES: Final = "The document has no entries."
_ATOM: Final = re.compile(rb"<(?:\w+:)?feed[\s>]")
_FEED: Final = re.compile(rb"\A\s*[{\[]|<(?:\w+:)?(?:rss|feed|rdf|channel)[\s>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that could be followed: where, how it was found and what it would give."""

    adapter_type: AdapterType
    address: str
    found_by: str
    title: str | None
    entries: int
    newest_at: datetime | None
    samples: tuple[ParsedEntry, ...]

    def as_json(self) -> dict[str, Json]:
        """Return the offer as a JSON object."""
        return {
            "adapter_type": self.adapter_type.value,
            "address": self.address,
            "found": self.found_by,
            "title": self.title,
            "entries": self.entries,
            "newest_at": timestamp_or_none(self.newest_at),
            "samples": [
                {
                    "title": sample.title,
                    "published_at": timestamp_or_none(sample.published_at),
                    "date_source": sample.date_source,
                    "url": sample.url,
                    "text": cut(sample.summary or "", FIRST_WORDS),
                }
                for sample in self.samples
            ],
        }


def probe(ingestion: Ingestion, url: str, *, now: datetime) -> "Probe":
    """Return what could be followed at an address."""
    found = Probe(url, ingestion, now)
    try:
        check_url(url)
    except AddressRefused as error:
        found.troubles.append(f"{url}: {error}")
        return found
    found.repository(repository_of(url), "releases on GitHub")
    found.page(url)
    if urlsplit(url).path in ("", "/"):
        for address in changelog_addresses_to_try(url):
            if found.offers:
                break
            found.page(address)
    return found


@dataclass(slots=True)
class Probe:
    """The offers at an address, the best first, and the troubles on the way.

    ``fetched`` are the addresses that were fetched.
    """

    url: str
    ingestion: Ingestion
    now: datetime
    offers: list[Offer] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    fetched: set[str] = field(default_factory=set)

    def as_json(self) -> dict[str, Json]:
        """Return all of it as a JSON object."""
        offers: list[Json] = [offer.as_json() for offer in self.offers]
        return {"url": self.url, "offers": offers, "troubles": [*self.troubles]}

    def page(self, address: str) -> None:
        """Try a page, or the feed that is in its place."""
        is_first = address == self.url
        fetched = self._fetch(address, AdapterType.HTML, say_why=is_first)
        if fetched is None:
            return
        reason = self._try_feed(fetched, "the address itself")
        if not reason:
            return
        is_feed = _FEED.search(fetched.body[:4096]) is not None
        try:
            feeds, repositories, document = self.ingestion.parsers.run(
                read_page_links, fetched.body, fetched.address, fetched.content_type
            )
        except UnreadableDocument as error:
            if is_first:
                self.troubles.append(f"{address}: {reason if is_feed else error}")
            return
        self._linked(feeds[:MOST_NAMED], repositories[:2], fetched.address)
        if document.entries:
            self._offer(AdapterType.HTML, address, "the page's own entries", document)
        elif is_first:
            self.troubles.append(f"{address}: {reason if is_feed else NO_ENTRIES}")

    def _linked(
        self, feeds: Sequence[NamedFeed], repositories: Sequence[str], address: str
    ) -> None:
        """Try what a page names, else feeds at customary addresses."""
        for feed in feeds:
            self.feed(feed.url, "a feed that the page names", say_why=True)
        for repository in repositories:
            self.repository(repository, "a repository that the page links to")
        if not self.offers:
            for customary in feed_addresses_to_try(address):
                if self.feed(customary, "a customary address of feeds"):
                    break

    def repository(self, repository: str | None, found_by: str) -> None:
        """Try the releases of a repository."""
        if repository is not None:
            address = f"https://github.com/{repository}/releases.atom"
            fetched = self._fetch(address, AdapterType.GITHUB_RELEASES, say_why=True)
            if fetched is not None:
                reason = self._try(AdapterType.GITHUB_RELEASES, fetched, address, found_by)
                self.troubles += [f"{address}: {reason}"] if reason else []

    def feed(self, address: str, found_by: str, *, say_why: bool = False) -> bool:
        """Try what may be a feed; return whether it is one with entries."""
        fetched = self._fetch(address, AdapterType.RSS, say_why=say_why)
        reason = self._try_feed(fetched, found_by) if fetched is not None else ""
        if reason and say_why:
            self.troubles.append(f"{address}: {reason}")
        return fetched is not None and not reason

    def _try_feed(self, fetched: Fetched, found_by: str) -> str:
        kind = AdapterType.ATOM if _ATOM.search(fetched.body[:2048]) else AdapterType.RSS
        return self._try(kind, fetched, fetched.address, found_by)

    def _try(self, kind: AdapterType, fetched: Fetched, address: str, found_by: str) -> str:
        """Offer a document that has entries; else return why it has none, as ingestion says it."""
        try:
            document = self.ingestion.parsers.parse(kind, fetched)
        except UnreadableDocument as error:
            return str(error)
        if document.entries:
            self._offer(kind, address, found_by, document)
        return "" if document.entries else NO_ENTRIES

    def _offer(
        self, kind: AdapterType, address: str, found_by: str, document: ParsedDocument
    ) -> None:
        entries = document.entries
        if any(offer.address == address for offer in self.offers):
            return
        dates = [entry.published_at for entry in entries if entry.published_at is not None]
        self.offers.append(
            Offer(
                adapter_type=kind,
                address=address,
                found_by=found_by,
                title=document.title,
                entries=len(entries),
                newest_at=max(dates, default=None),
                samples=entries[:SAMPLES],
            )
        )

    def _fetch(self, address: str, kind: AdapterType, *, say_why: bool) -> Fetched | None:
        """Fetch an address once; pages only where robots.txt allows it."""
        if address in self.fetched or len(self.fetched) >= MOST_FETCHES:
            return None
        self.fetched.add(address)
        outcome = ask(self.ingestion, kind, address, now=self.now)
        if isinstance(outcome, Failed) and say_why:
            self.troubles.append(f"{address}: {outcome.message or outcome.failure.message}")
        return outcome if isinstance(outcome, Fetched) else None
