"""The parameters of each operation as one object.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from openapi.query import Query, tuple_of
from openapi.vocabulary import AdapterType, Category, Health, SearchOrder


@dataclass(frozen=True, slots=True, kw_only=True)
class ListSources(Query):
    """GET /sources: List the catalog, or a sample of it."""

    OPERATION: ClassVar = "list_sources"
    PATH: ClassVar = "/sources"
    NAMES: ClassVar = {"adapter_type": "adapterType"}
    READ: ClassVar = {"adapter_type": AdapterType, "health": Health}

    vendor: str | None = None
    q: str | None = None
    adapter_type: AdapterType | None = None
    kind: str | None = None
    limit: int = 50
    offset: int = 0
    selected: Literal["1"] | None = None
    health: Health | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntries(Query):
    """GET /entries: List entries of sources."""

    OPERATION: ClassVar = "list_entries"
    PATH: ClassVar = "/entries"
    READ: ClassVar = {"sources": tuple, "category": tuple_of(Category), "order": SearchOrder}

    sources: tuple[str, ...]
    since: str | None = None
    limit: int = 50
    offset: int = 0
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    until: str | None = None
    cve: str | None = None
    q: str | None = None
    order: SearchOrder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GetDiffs(Query):
    """GET /diffs: Get the structured changes of a source."""

    OPERATION: ClassVar = "get_diffs"
    PATH: ClassVar = "/diffs"

    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListImportant(Query):
    """GET /important: List important entries."""

    OPERATION: ClassVar = "list_important"
    PATH: ClassVar = "/important"
    READ: ClassVar = {"category": tuple_of(Category), "order": SearchOrder, "sources": tuple}

    limit: int = 50
    offset: int = 0
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    since: str | None = None
    until: str | None = None
    q: str | None = None
    order: SearchOrder | None = None
    sources: tuple[str, ...] | None = None
    following: Literal["1"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLatest(Query):
    """GET /latest: List the latest entries."""

    OPERATION: ClassVar = "list_latest"
    PATH: ClassVar = "/latest"
    READ: ClassVar = {"category": tuple_of(Category), "order": SearchOrder, "sources": tuple}

    limit: int = 50
    offset: int = 0
    future: Literal["1"] | None = None
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    since: str | None = None
    until: str | None = None
    q: str | None = None
    order: SearchOrder | None = None
    sources: tuple[str, ...] | None = None
    following: Literal["1"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanges(Query):
    """GET /changes: List new, edited and removed entries in order."""

    OPERATION: ClassVar = "list_changes"
    PATH: ClassVar = "/changes"
    READ: ClassVar = {"sources": tuple, "category": tuple_of(Category)}

    after: str | None = None
    sources: tuple[str, ...] | None = None
    limit: int = 50
    wait: int = 0
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    since: str | None = None
    until: str | None = None
    q: str | None = None
    following: Literal["1"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDeadlines(Query):
    """GET /deadlines: List deadlines."""

    OPERATION: ClassVar = "list_deadlines"
    PATH: ClassVar = "/deadlines"
    NAMES: ClassVar = {"from_": "from"}
    READ: ClassVar = {"ends": tuple, "category": tuple_of(Category), "sources": tuple}

    from_: str | None = None
    to: str | None = None
    ends: (
        tuple[Literal["removal", "end_of_support", "end_of_life", "end_of_sale", "migration"], ...]
        | None
    ) = None
    format: Literal["json", "csv", "cle", "openeox"] = "json"
    purl: str | None = None
    stack: str | None = None
    vendor: str | None = None
    limit: int = 50
    offset: int = 0
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    since: str | None = None
    until: str | None = None
    q: str | None = None
    sources: tuple[str, ...] | None = None
    following: Literal["1"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFacets(Query):
    """GET /facets: List the tags, vendors and kinds of the catalog."""

    OPERATION: ClassVar = "list_facets"
    PATH: ClassVar = "/facets"


@dataclass(frozen=True, slots=True, kw_only=True)
class GetMe(Query):
    """GET /me: Get the current key or session."""

    OPERATION: ClassVar = "get_me"
    PATH: ClassVar = "/me"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListUpgrades(Query):
    """GET /upgrades: List changes between two versions of a package."""

    OPERATION: ClassVar = "list_upgrades"
    PATH: ClassVar = "/upgrades"
    NAMES: ClassVar = {"from_": "from"}

    purl: str | None = None
    stack: str | None = None
    from_: str | None = None
    to: str | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportEntries(Query):
    """GET /entries.csv: Export a page of entries as CSV."""

    OPERATION: ClassVar = "export_entries"
    PATH: ClassVar = "/entries.csv"
    READ: ClassVar = {"sources": tuple, "category": tuple_of(Category), "order": SearchOrder}

    sources: tuple[str, ...]
    since: str | None = None
    limit: int = 50
    offset: int = 0
    vendor: str | None = None
    tag: str | None = None
    kind: str | None = None
    category: tuple[Category, ...] | None = None
    prerelease: Literal["false", "true"] | None = None
    until: str | None = None
    cve: str | None = None
    q: str | None = None
    order: SearchOrder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadBulk(Query):
    """GET /bulk: Download all entries as one file."""

    OPERATION: ClassVar = "download_bulk"
    PATH: ClassVar = "/bulk"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWebhooks(Query):
    """GET /webhooks: List webhooks."""

    OPERATION: ClassVar = "list_webhooks"
    PATH: ClassVar = "/webhooks"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListDeliveries(Query):
    """GET /webhooks/deliveries: List deliveries of a webhook."""

    OPERATION: ClassVar = "list_deliveries"
    PATH: ClassVar = "/webhooks/deliveries"

    webhook: str
    state: Literal["pending", "delivered", "dead"] | None = None
    limit: int = 50
    offset: int = 0


QUERIES: dict[str, type[Query]] = {
    "list_sources": ListSources,
    "list_entries": ListEntries,
    "get_diffs": GetDiffs,
    "list_important": ListImportant,
    "list_latest": ListLatest,
    "list_changes": ListChanges,
    "list_deadlines": ListDeadlines,
    "list_facets": ListFacets,
    "get_me": GetMe,
    "list_upgrades": ListUpgrades,
    "export_entries": ExportEntries,
    "download_bulk": DownloadBulk,
    "list_webhooks": ListWebhooks,
    "list_deliveries": ListDeliveries,
}
"""The query object of each operation."""
