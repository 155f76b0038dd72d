"""The links and entries of a page, parsed in a child process."""

from dataclasses import dataclass

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.html import parse_page
from ingest.discovery.candidates import NamedFeed, named_feeds, repositories_named_by
from ingest.sandbox.parsing import contained


@dataclass(frozen=True, slots=True)
class PageLinks:
    """The feeds and repositories that a page links to, and its own entries."""

    feeds: tuple[NamedFeed, ...]
    repositories: tuple[str, ...]
    document: ParsedDocument


@contained
def read_page_links(body: bytes, address: str, content_type: str | None) -> PageLinks:
    """Parse a page for its links and entries; every failure is an UnreadableDocument."""
    return PageLinks(
        feeds=tuple(named_feeds(body, address=address, content_type=content_type)),
        repositories=tuple(repositories_named_by(body, address=address)),
        document=parse_page(body, address=address, content_type=content_type),
    )
