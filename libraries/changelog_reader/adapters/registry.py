"""The adapter of each type of source."""

from collections.abc import Mapping
from typing import Final

from changelog_reader.adapters.base import Adapter
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.adapters.github_releases import parse_github_releases
from changelog_reader.adapters.html import parse_page
from changelog_reader.vocabulary import AdapterType

ADAPTERS: Final[Mapping[AdapterType, Adapter]] = {
    AdapterType.RSS: parse_feed,
    AdapterType.ATOM: parse_feed,
    AdapterType.HTML: parse_page,
    AdapterType.GITHUB_RELEASES: parse_github_releases,
}
"""RSS and Atom share one: catalogs and vendors confuse the two, so the document decides."""
