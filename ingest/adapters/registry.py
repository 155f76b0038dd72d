"""Which adapter reads which type of source. What one of them needs is loaded when it is asked."""

from collections.abc import Mapping
from typing import Final

from ingest.adapters.base import Adapter, ParsedDocument
from openapi.vocabulary import AdapterType


def _rss(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    from ingest.adapters.rss import parse_rss

    return parse_rss(body, address=address, content_type=content_type)


def _atom(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    from ingest.adapters.atom import parse_atom

    return parse_atom(body, address=address, content_type=content_type)


def _page(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    from ingest.adapters.html import parse_page

    return parse_page(body, address=address, content_type=content_type)


def _github_releases(body: bytes, *, address: str, content_type: str | None) -> ParsedDocument:
    from ingest.adapters.github_releases import parse_github_releases

    return parse_github_releases(body, address=address, content_type=content_type)


ADAPTERS: Final[Mapping[AdapterType, Adapter]] = {
    AdapterType.RSS: _rss,
    AdapterType.ATOM: _atom,
    AdapterType.HTML: _page,
    AdapterType.GITHUB_RELEASES: _github_releases,
}
