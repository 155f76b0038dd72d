"""The columns and rows of a catalog, and the faults a row can have."""

import re
from dataclasses import dataclass

from openapi.vocabulary import AdapterType, Kind

HEADER = (
    "slug",
    "vendor",
    "name",
    "kind",
    "homepage",
    "changelog_url",
    "adapter_type",
    "feed_url",
    "tags",
)
"""The columns of a catalog, in this order. ``tags`` are separated by semicolons."""

SLUG = re.compile(r"[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9._-]*")
"""A slug is ``<vendor>.<product>`` in lower case (specification 2.1); match it in full.

The vendor has no dot, so the first dot ends it. Neither comma nor plus: slugs are listed
in a query parameter, where a comma separates them and a plus means a space.
"""

SLUG_LIMIT = 120
"""The most characters a slug has."""

VENDOR = re.compile(r"[a-z0-9][a-z0-9-]*")
"""A vendor's identifier; match it in full."""

VENDOR_LIMIT = 80
"""The most characters a vendor's identifier has."""

NAME_LIMIT = 200
"""The most characters a name has."""

TAG_LIMIT = 5
"""The most tags a source has."""


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """One source as the catalog describes it (specification 2.1), and where to fetch it.

    ``feed_url`` is the machine address; it is None for html, whose page is the source. It
    never reaches a customer (specification 2.1).
    """

    slug: str
    vendor: str
    name: str
    kind: Kind
    homepage: str | None
    changelog_url: str
    adapter_type: AdapterType
    feed_url: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BadRow:
    """One fault of one row.

    ``line`` counts from 1, the header included; a row of several lines is named by its first.
    ``slug`` is what stands in that column, cut and made printable, or empty. ``reason`` is a
    sentence that says what to do.
    """

    line: int
    slug: str
    reason: str
