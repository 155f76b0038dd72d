"""The catalog rows of a source, and the packages that it is about."""

from dataclasses import dataclass
from typing import NamedTuple

from openapi.vocabulary import AdapterType, AddressStatus, Kind, Tier


@dataclass(frozen=True, slots=True)
class CatalogRow:
    """One source as the catalog describes it (specification 2.1), and where to fetch it.

    What the further columns leave empty is not said: what is stored stays.
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
    tier: Tier | None = None
    aliases: tuple[str, ...] = ()
    basis: str | None = None
    status: AddressStatus | None = None


class SeenPackage(NamedTuple):
    """A package that a source is about, and the public document that names both."""

    slug: str
    purl: str
    seen_in: str
