"""The shipped catalog of sources and its reader.

``sources.csv`` is the catalog and ``tags.csv`` names the canonical tags. The rest is pure:
text in, rows and faults out. Storing rows is the caller's business.
"""

from ingest.catalog.csv_reader import UnreadableCatalog, decode_catalog, read_catalog
from ingest.catalog.export import as_csv, as_opml
from ingest.catalog.own_source import own_source
from ingest.catalog.packages import is_package_file, read_packages, write_packages
from ingest.catalog.rows import (
    FURTHER,
    HEADER,
    SLUG,
    SLUG_LIMIT,
    BadRow,
    canonical_tags,
    shipped_catalog,
    shipped_packages,
)

__all__ = [
    "FURTHER",
    "HEADER",
    "SLUG",
    "SLUG_LIMIT",
    "BadRow",
    "UnreadableCatalog",
    "as_csv",
    "as_opml",
    "canonical_tags",
    "decode_catalog",
    "is_package_file",
    "own_source",
    "read_catalog",
    "read_packages",
    "shipped_catalog",
    "shipped_packages",
    "write_packages",
]
