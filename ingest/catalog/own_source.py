"""The source that an installation is itself: the changelog of the program that it runs."""

import ipaddress
from urllib.parse import urlsplit

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.rows import CatalogRow

_NOT_PUBLIC = frozenset({"example", "internal", "invalid", "lan", "local", "localhost", "test"})
"""The last parts of names that nobody else can resolve (RFC 2606, RFC 6762 and custom)."""


def own_source(site_url: str) -> CatalogRow | None:
    """Return the changelog of the site at an address, or None where nobody could read it.

    It needs https and a public name: a source that cannot be resolved is worse than none.
    """
    parts = urlsplit(site_url)
    if parts.scheme != "https" or not _is_public_name(parts.hostname or ""):
        return None
    return CatalogRow(
        slug="changewire.changelog",
        vendor="changewire",
        name="Changewire",
        kind=Kind.CHANGELOG,
        homepage=f"{site_url}/",
        changelog_url=f"{site_url}/changelog",
        adapter_type=AdapterType.RSS,
        feed_url=f"{site_url}/rss/changelog.xml",
        tags=("api", "developer-tools"),
        tier=Tier.PRODUCT,
    )


def _is_public_name(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        labels = host.split(".")
        return len(labels) > 1 and labels[-1] not in _NOT_PUBLIC
    return False
