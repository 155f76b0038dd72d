"""The adapter of each type of source."""

from collections.abc import Mapping
from typing import Final

from ingest.adapters.atom import parse_atom
from ingest.adapters.base import Adapter
from ingest.adapters.github_releases import parse_github_releases
from ingest.adapters.html import parse_page
from ingest.adapters.rss import parse_rss
from openapi.vocabulary import AdapterType

ADAPTERS: Final[Mapping[AdapterType, Adapter]] = {
    AdapterType.RSS: parse_rss,
    AdapterType.ATOM: parse_atom,
    AdapterType.HTML: parse_page,
    AdapterType.GITHUB_RELEASES: parse_github_releases,
}
