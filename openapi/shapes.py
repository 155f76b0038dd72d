"""The shapes of the contract as types: what requests and answers look like in Python.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout. It does this:

    datamodel-codegen --input openapi/openapi.yaml --input-file-type openapi
    --output openapi/shapes.py --output-model-type typing.TypedDict
    --target-python-version 3.11 --enum-field-as-literal all --use-object-type
    --use-type-alias --use-standard-collections --strict-nullable --no-use-closed-typed-dict
    --disable-future-imports --use-double-quotes --disable-timestamp --collapse-root-models
    --formatters ruff-check ruff-format
    --type-mappings string+date-time=string string+date=string string+uri=string
    string+email=string --custom-file-header-path openapi/shapes.header
"""


from typing import Literal, NotRequired, TypeAlias, TypedDict

SearchOrder: TypeAlias = Literal["date", "relevance"]


class Facet(TypedDict):
    value: str
    count: int


class Me(TypedDict):
    plan: Literal["free", "starter", "all"]
    diffs: bool
    scopes: list[str]
    sources: list[str] | None
    slots: int | None
    slotsUsed: int
    expiresAt: str | None


class ChangelogSource(TypedDict):
    slug: str
    vendor: str
    name: str
    kind: str
    homepage: NotRequired[str | None]
    changelogUrl: str
    adapterType: Literal["rss", "atom", "html", "github_releases"]
    tier: NotRequired[Literal["product", "component", "blog"]]
    tags: list[str]
    purls: NotRequired[list[str]]
    lastUpdatedAt: NotRequired[str | None]
    lastFetchedAt: NotRequired[str | None]
    health: NotRequired[Literal["healthy", "ok", "degraded", "problematic", "unknown"]]
    healthMessage: NotRequired[str | None]


class ChangelogSourceSample(TypedDict):
    slug: str
    vendor: str
    name: str
    kind: str
    homepage: NotRequired[str | None]
    lastUpdatedAt: NotRequired[str | None]
    health: NotRequired[Literal["healthy", "ok", "degraded", "problematic", "unknown"]]


class SourcePage(TypedDict):
    total: int
    limit: int
    offset: int
    items: list[ChangelogSource]


class SampleSourcePage(TypedDict):
    sample: Literal[True]
    total: int
    limit: Literal[5]
    offset: Literal[0]
    items: list[ChangelogSourceSample]
    hint: str
    agent: str


class ChangelogEntry(TypedDict):
    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    cves: NotRequired[list[str]]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    raw: NotRequired[dict[str, object]]
    tags: list[str]


class PublicEntry(TypedDict):
    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    cves: NotRequired[list[str]]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]


class Evidence(TypedDict):
    category: Literal["breaking", "deprecation", "security"]
    field: Literal["title", "summary"]
    text: str
    start: int
    end: int


class Passage(TypedDict):
    field: Literal["title", "summary"]
    text: str
    start: int
    end: int


Deadline = TypedDict(
    "Deadline",
    {
        "kind": str,
        "from": str,
        "to": str,
        "subject": NotRequired[str | None],
        "versions": NotRequired[str | None],
        "successor": NotRequired[str | None],
        "evidence": Passage,
    },
)


class EntryPage(TypedDict):
    plan: Literal["free", "starter", "all"]
    total: int
    limit: int
    offset: int
    items: list[ChangelogEntry]


class EntryChange(TypedDict):
    change: Literal["new", "edited", "removed"]
    entry: ChangelogEntry


class PublicEntryPage(TypedDict):
    total: int
    limit: int
    offset: int
    items: list[PublicEntry]


class SupportItem(TypedDict):
    id: str
    description: str
    url: NotRequired[str]


class Definitions(TypedDict):
    support: list[SupportItem]


class Version(TypedDict):
    version: NotRequired[str]
    range: NotRequired[str]


class CleEvent(TypedDict):
    id: int
    type: str
    effective: str
    published: str
    versions: NotRequired[list[Version]]
    supportId: NotRequired[str]
    eventId: NotRequired[int]
    reason: NotRequired[str]
    references: NotRequired[list[str]]
    description: NotRequired[str]


Core = TypedDict(
    "Core",
    {
        "$schema": str,
        "end_of_life": str,
        "end_of_security_support": str,
        "end_of_sales": NotRequired[str],
        "last_updated": str,
    },
)


class OpenEoxShell(TypedDict):
    vendor_name: str
    product_name: str
    product_version: str
    core: Core


class OneStack(TypedDict):
    name: str


class SavedStack(TypedDict):
    name: str
    parts: int


class PartEnd(TypedDict):
    kind: str
    to: str
    text: str


class CategoryCounts(TypedDict):
    breaking: int
    deprecation: int
    security: int


class RemarkEntry(TypedDict):
    id: str
    source: str
    title: str
    version: str | None


class SettingEntry(TypedDict):
    id: str
    title: str
    published_at: str


ReplacedDays = TypedDict(
    "ReplacedDays",
    {
        "from": str,
        "to": str,
    },
)


class SourceRequest(TypedDict):
    url: str
    name: NotRequired[str]
    vendor: NotRequired[str]
    note: NotRequired[str]
    email: NotRequired[str]


class SourceRequestRecord(TypedDict):
    id: str
    status: str
    url: str
    message: str


class Snapshot(TypedDict):
    snapshotId: str
    fetchedAt: str
    contentHash: str
    entryCount: int


class DiffStats(TypedDict):
    added: int
    changed: int
    removed: int
    rolledOff: int
    unchanged: int


class BlockPlace(TypedDict):
    heading: list[str]
    index: int


class Span(TypedDict):
    op: Literal["equal", "insert", "delete"]
    text: str


class Fact(TypedDict):
    type: str
    path: str | None
    detail: str | None


class Error(TypedDict):
    error: str
    code: str
    message: str
    hint: NotRequired[str]


class WebhookInput(TypedDict):
    name: str
    url: str
    format: NotRequired[Literal["plain", "slack", "teams", "discord"]]
    events: NotRequired[Literal["all", "important"]]
    key: NotRequired[str]
    filter: NotRequired[str]


class OneWebhook(TypedDict):
    webhook: str


class Redelivery(TypedDict):
    webhook: str
    delivery: NotRequired[str]


class Webhook(TypedDict):
    id: str
    name: str
    url: str
    format: Literal["plain", "slack", "teams", "discord"]
    events: Literal["all", "important"]
    key: NotRequired[str]
    filter: NotRequired[str]
    createdAt: str
    failures: int
    failingSince: NotRequired[str]
    lastAttemptAt: NotRequired[str]
    lastSuccessAt: NotRequired[str]
    disabledAt: NotRequired[str]
    disabledReason: NotRequired[str]


class WebhookList(TypedDict):
    total: int
    items: list[Webhook]


class WebhookSecret(TypedDict):
    secret: str
    webhook: Webhook


class DeletedWebhook(TypedDict):
    webhook: str


class QueuedDeliveries(TypedDict):
    webhook: str
    queued: int
    delivery: NotRequired[str]


class DeliveryAttempt(TypedDict):
    at: str
    durationMs: int
    status: NotRequired[int]
    fault: NotRequired[str]
    answer: NotRequired[str]


class Delivery(TypedDict):
    id: str
    messageId: str
    type: str
    state: Literal["pending", "delivered", "dead"]
    createdAt: str
    attempts: int
    nextAttemptAt: NotRequired[str]
    source: NotRequired[str]
    title: NotRequired[str]
    lastAttempt: NotRequired[DeliveryAttempt]


class DeliveryPage(TypedDict):
    total: int
    limit: int
    offset: int
    items: list[Delivery]


class Facets(TypedDict):
    tags: list[Facet]
    vendors: list[Facet]
    kinds: list[Facet]


class Importance(TypedDict):
    categories: list[Literal["breaking", "deprecation", "security"]]
    evidence: list[Evidence]
    deadlines: NotRequired[list[Deadline]]


class ChangePage(TypedDict):
    items: list[EntryChange]
    next: str
    more: bool


CleDocument = TypedDict(
    "CleDocument",
    {
        "$schema": str,
        "identifier": str | list[str],
        "updatedAt": str,
        "definitions": Definitions,
        "events": list[CleEvent],
    },
)


OpenEoxShells: TypeAlias = list[OpenEoxShell]


EntryDeadline = TypedDict(
    "EntryDeadline",
    {
        "kind": str,
        "from": str,
        "to": str,
        "days": int,
        "text": str,
        "subject": str | None,
        "versions": str | None,
        "successor": str | None,
        "entry": PublicEntry,
        "set_by": SettingEntry,
        "replaced": list[ReplacedDays],
    },
)


class UpgradeRemark(TypedDict):
    reason: str
    part: str
    text: str
    count: int
    entries: list[RemarkEntry]


class Stack(TypedDict):
    components: NotRequired[list[str]]
    file: NotRequired[str]
    wanted: NotRequired[list[str]]
    lookup: NotRequired[bool]
    name: NotRequired[str]


class CoveredPart(TypedDict):
    part: str
    sources: list[str]
    repository: NotRequired[str]
    certainty: NotRequired[str]
    on_demand: NotRequired[bool]
    seen_in: NotRequired[str]
    newest: NotRequired[str]
    cves: NotRequired[list[str]]
    ends: NotRequired[PartEnd]
    verdict: NotRequired[str]


class FieldChange(TypedDict):
    path: str
    before: str | int | bool | list[str] | None
    after: str | int | bool | list[str] | None
    spans: NotRequired[list[Span]]


class ImportantEntry(TypedDict):
    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    cves: NotRequired[list[str]]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]
    importance: Importance


class UpgradeEntry(TypedDict):
    part: str
    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    cves: NotRequired[list[str]]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]
    importance: NotRequired[Importance]


class ImportantEntryPage(TypedDict):
    total: int
    limit: int
    offset: int
    items: list[ImportantEntry]


class DeadlinePage(TypedDict):
    total: int
    limit: int
    offset: int
    items: list[EntryDeadline]


CleDocuments: TypeAlias = list[CleDocument]


class UpgradePage(TypedDict):
    total: int
    limit: int
    offset: int
    sources: list[str]
    parts: NotRequired[list[CoveredPart]]
    items: list[UpgradeEntry]
    unknown: list[UpgradeRemark]
    gaps: list[UpgradeRemark]
    deadlines: list[EntryDeadline]


class StackReport(TypedDict):
    selected: list[CoveredPart]
    proposed: list[CoveredPart]
    uncovered: list[str]
    total: int
    counts: CategoryCounts
    items: list[UpgradeEntry]
    unknown: list[UpgradeRemark]
    gaps: list[UpgradeRemark]
    deadlines: list[EntryDeadline]
    saved: NotRequired[SavedStack]


class Change(TypedDict):
    op: Literal["added", "changed", "removed", "rolled_off", "moved"]
    entryId: NotRequired[str]
    block: NotRequired[BlockPlace]
    before: dict[str, object] | None
    after: dict[str, object] | None
    fields: list[FieldChange]
    facts: NotRequired[list[Fact]]


class Diff(TypedDict):
    id: str
    before: Snapshot
    after: Snapshot
    stats: DiffStats
    truncated: bool
    changes: list[Change]


class DiffPage(TypedDict):
    source: str
    adapterType: Literal["rss", "atom", "html", "github_releases"]
    total: int
    items: list[Diff]
