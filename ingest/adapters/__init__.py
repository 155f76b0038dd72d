"""One module an adapter type: bytes in, entries out.

``PARSER_VERSION`` is raised whenever the same bytes may give other entries, so that unchanged
documents are read again and snapshots start anew instead of showing a change of ours as one
of the vendor's.
"""

from collections.abc import Mapping
from typing import Final

from ingest.adapters.atom import parse_atom
from ingest.adapters.base import Adapter
from ingest.adapters.github_releases import parse_github_releases
from ingest.adapters.html import parse_page
from ingest.adapters.rss import parse_rss
from openapi.vocabulary import AdapterType

PARSER_VERSION: Final = 1

ADAPTERS: Final[Mapping[AdapterType, Adapter]] = {
    AdapterType.RSS: parse_rss,
    AdapterType.ATOM: parse_atom,
    AdapterType.HTML: parse_page,
    AdapterType.GITHUB_RELEASES: parse_github_releases,
}
