"""The shapes of the contract as types: what requests and answers look like in Python.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout. It does this:

    datamodel-codegen --input openapi/openapi.yaml --input-file-type openapi
    --output openapi/shapes.py --output-model-type typing.TypedDict
    --target-python-version 3.11 --enum-field-as-literal all --use-object-type
    --use-type-alias --use-standard-collections --strict-nullable --no-use-closed-typed-dict
    --disable-future-imports --use-schema-description --use-single-line-docstring
    --use-double-quotes --disable-timestamp --collapse-root-models
    --formatters ruff-check ruff-format
    --type-mappings string+date-time=string string+date=string string+uri=string
    string+email=string --custom-file-header-path openapi/shapes.header
"""


from typing import Literal, NotRequired, TypeAlias, TypedDict

SearchOrder: TypeAlias = Literal["date", "relevance"]


class ChangelogSource(TypedDict):
    """A source of the full catalog."""

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
    """A source of the public sample."""

    slug: str
    vendor: str
    name: str
    kind: str
    homepage: NotRequired[str | None]
    lastUpdatedAt: NotRequired[str | None]
    health: NotRequired[Literal["healthy", "ok", "degraded", "problematic", "unknown"]]


class SourcePage(TypedDict):
    """A page of the full catalog."""

    total: int
    limit: int
    offset: int
    items: list[ChangelogSource]


class SampleSourcePage(TypedDict):
    """What callers without a key see of the catalog."""

    sample: Literal[True]
    total: int
    limit: Literal[5]
    offset: Literal[0]
    items: list[ChangelogSourceSample]
    hint: str
    agent: str


class ChangelogEntry(TypedDict):
    """One item that a source published."""

    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    raw: NotRequired[dict[str, object]]
    tags: list[str]


class PublicEntry(TypedDict):
    """An entry as the public feeds show it, its summary cut at 500 characters."""

    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]


class Evidence(TypedDict):
    """A passage of the entry that puts it in a category, word for word."""

    category: Literal["breaking", "deprecation", "security"]
    field: Literal["title", "summary"]
    text: str
    start: int
    end: int


class Passage(TypedDict):
    """A passage of the entry, word for word."""

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
        "evidence": Passage,
    },
)


class EntryPage(TypedDict):
    """A page of entries of selected sources."""

    plan: Literal["free", "starter", "all"]
    total: int
    limit: int
    offset: int
    items: list[ChangelogEntry]


class EntryChange(TypedDict):
    """What happened to an entry, and how it was then, or is now if that text is gone."""

    change: Literal["new", "edited", "removed"]
    entry: ChangelogEntry


class PublicEntryPage(TypedDict):
    """A page of the latest entries."""

    total: int
    limit: int
    offset: int
    items: list[PublicEntry]


class CoveredPart(TypedDict):
    """A part and the sources that are about it."""

    part: str
    sources: list[str]


class CategoryCounts(TypedDict):
    """How many of all these entries are important, by reason."""

    breaking: int
    deprecation: int
    security: int


class RemarkEntry(TypedDict):
    """An entry that a remark is about."""

    id: str
    source: str
    title: str
    version: str | None


class SettingEntry(TypedDict):
    """The entry that announced a deadline first. The same as its entry unless the date moved."""

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
    """A changelog that should be added."""

    url: str
    name: NotRequired[str]
    vendor: NotRequired[str]
    note: NotRequired[str]
    email: NotRequired[str]


class SourceRequestRecord(TypedDict):
    """What the service keeps of a source request."""

    id: str
    status: str
    url: str
    message: str


class Snapshot(TypedDict):
    """What a source showed when it was checked."""

    snapshotId: str
    fetchedAt: str
    contentHash: str
    entryCount: int


class DiffStats(TypedDict):
    """How many entries or blocks were added, changed, removed or left as they were."""

    added: int
    changed: int
    removed: int
    rolledOff: int
    unchanged: int


class BlockPlace(TypedDict):
    """Where a block stands on a page. Absent for an entry."""

    heading: list[str]
    index: int


class Span(TypedDict):
    """A run of words that stayed, came or went."""

    op: Literal["equal", "insert", "delete"]
    text: str


class Fact(TypedDict):
    """One silent edit."""

    type: str
    path: str | None
    detail: str | None


class Error(TypedDict):
    """The body of every error response."""

    error: str
    code: str
    message: str
    hint: NotRequired[str]


class WebhookInput(TypedDict):
    """A webhook that should be made."""

    name: str
    url: str
    format: NotRequired[Literal["plain", "slack", "teams", "discord"]]
    events: NotRequired[Literal["all", "important"]]
    key: NotRequired[str]
    filter: NotRequired[str]


class OneWebhook(TypedDict):
    """Which webhook is meant."""

    webhook: str


class Redelivery(TypedDict):
    """What is sent again."""

    webhook: str
    delivery: NotRequired[str]


class Webhook(TypedDict):
    """An address that messages are sent to."""

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
    """The webhooks of an account."""

    total: int
    items: list[Webhook]


class WebhookSecret(TypedDict):
    """A webhook with a secret that was just made."""

    secret: str
    webhook: Webhook


class DeletedWebhook(TypedDict):
    """A webhook that is no more."""

    webhook: str


class QueuedDeliveries(TypedDict):
    """Messages that are on their way."""

    webhook: str
    queued: int
    delivery: NotRequired[str]


class DeliveryAttempt(TypedDict):
    """One attempt to send a message."""

    at: str
    durationMs: int
    status: NotRequired[int]
    fault: NotRequired[str]
    answer: NotRequired[str]


class Delivery(TypedDict):
    """A message to a webhook."""

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
    """A page of what was sent to a webhook."""

    total: int
    limit: int
    offset: int
    items: list[Delivery]


class Importance(TypedDict):
    """Why an entry is important, in the vendor's own words."""

    categories: list[Literal["breaking", "deprecation", "security"]]
    evidence: list[Evidence]
    deadlines: NotRequired[list[Deadline]]


class ChangePage(TypedDict):
    """A page of changes, and where to go on."""

    items: list[EntryChange]
    next: str
    more: bool


EntryDeadline = TypedDict(
    "EntryDeadline",
    {
        "kind": str,
        "from": str,
        "to": str,
        "days": int,
        "text": str,
        "entry": PublicEntry,
        "set_by": SettingEntry,
        "replaced": list[ReplacedDays],
    },
)


class UpgradeRemark(TypedDict):
    """Something that is not known of a part, and the entries that it is about."""

    reason: str
    part: str
    text: str
    count: int
    entries: list[RemarkEntry]


class Stack(TypedDict):
    """What runs, and what is wanted in its place."""

    components: NotRequired[list[str]]
    file: NotRequired[str]
    wanted: NotRequired[list[str]]


class FieldChange(TypedDict):
    """A field that changed."""

    path: str
    before: str | int | bool | list[str] | None
    after: str | int | bool | list[str] | None
    spans: NotRequired[list[Span]]


class ImportantEntry(TypedDict):
    """A public entry and why it is important."""

    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]
    importance: Importance


class UpgradeEntry(TypedDict):
    """An entry of a version between two others, with what makes it important."""

    part: str
    id: str
    source: str
    vendor: str
    published_at: str
    title: str
    headline: NotRequired[str]
    version: NotRequired[str | None]
    prerelease: NotRequired[bool | None]
    url: NotRequired[str | None]
    summary: NotRequired[str | None]
    tags: list[str]
    importance: NotRequired[Importance]


class ImportantEntryPage(TypedDict):
    """A page of important entries."""

    total: int
    limit: int
    offset: int
    items: list[ImportantEntry]


class DeadlinePage(TypedDict):
    """A page of deadlines."""

    total: int
    limit: int
    offset: int
    items: list[EntryDeadline]


class UpgradePage(TypedDict):
    """A page of what lies between two versions, and what is not known of it."""

    total: int
    limit: int
    offset: int
    sources: list[str]
    items: list[UpgradeEntry]
    unknown: list[UpgradeRemark]
    gaps: list[UpgradeRemark]
    deadlines: list[EntryDeadline]


class StackReport(TypedDict):
    """What a stack has in the catalog, and what came out since."""

    selected: list[CoveredPart]
    proposed: list[CoveredPart]
    uncovered: list[str]
    total: int
    counts: CategoryCounts
    items: list[UpgradeEntry]
    unknown: list[UpgradeRemark]
    gaps: list[UpgradeRemark]
    deadlines: list[EntryDeadline]


class Change(TypedDict):
    """What happened to one entry, or to one block of a page."""

    op: Literal["added", "changed", "removed", "rolled_off", "moved"]
    entryId: NotRequired[str]
    block: NotRequired[BlockPlace]
    before: dict[str, object] | None
    after: dict[str, object] | None
    fields: list[FieldChange]
    facts: NotRequired[list[Fact]]


class Diff(TypedDict):
    """What changed between two snapshots of a source. Applied to before, it gives after."""

    id: str
    before: Snapshot
    after: Snapshot
    stats: DiffStats
    truncated: bool
    changes: list[Change]


class DiffPage(TypedDict):
    """The newest changes of a source."""

    source: str
    adapterType: Literal["rss", "atom", "html", "github_releases"]
    total: int
    items: list[Diff]
