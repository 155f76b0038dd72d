// The shapes of the contract: what requests and answers look like.
//
// Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the
// top of the checkout.

/** The unique id of a source, of the form vendor.changelog. */
export type Slug = string;

/** How a source is read. */
export type AdapterType = "rss" | "atom" | "html" | "github_releases";

/** What a source publishes. */
export type Kind =
  | "changelog"
  | "whats_new"
  | "release_notes"
  | "updates"
  | "blog"
  | (string & {});

/**
 * What a source stands for: a product, as its vendor's own changelog tells of it; a component,
 * which is one repository, an SDK or a provider; or a blog.
 */
export type Tier = "product" | "component" | "blog";

/** How well a source can be followed. */
export type Health =
  | "healthy"
  | "ok"
  | "degraded"
  | "problematic"
  | "unknown";

/** The plan of the account that the key belongs to. */
export type Plan = "free" | "starter" | "all";

/** The order of entries that are searched for. */
export type SearchOrder = "date" | "relevance";

/** Why an entry is important. */
export type Category = "breaking" | "deprecation" | "security";

/** Where a source request stands. It starts as pending. */
export type RequestStatus =
  | "pending"
  | "checking"
  | "needs_review"
  | "accepted"
  | "rejected"
  | "duplicate"
  | (string & {});

/**
 * What happened to an entry. `removed` are the entries of a source that was taken out of the
 * catalog, without url, summary and raw; an entry that a vendor takes away stays.
 */
export type ChangeKind = "new" | "edited" | "removed";

/**
 * What happened between two snapshots. `rolled_off` is an entry that fell off the end of what the
 * vendor shows; it was not removed.
 */
export type ChangeOp =
  | "added"
  | "changed"
  | "removed"
  | "rolled_off"
  | "moved";

/** What a vendor did silently: to an entry or a block without publishing a new one. */
export type FactType =
  | "title_changed"
  | "date_moved_earlier"
  | "date_moved_later"
  | "date_withdrawn"
  | "text_shortened"
  | "text_lengthened"
  | "link_moved"
  | "link_withdrawn"
  | "label_removed"
  | "label_added"
  | "severity_word_removed"
  | "severity_word_added"
  | "tag_moved"
  | "prerelease_promoted"
  | "entry_withdrawn"
  | "entry_reissued"
  | (string & {});

/** What happens when a deadline has come. */
export type DeadlineKind =
  | "removal"
  | "end_of_life"
  | "migration"
  | (string & {});

/**
 * What is not known of a part. `no_source`: nothing in the catalog is certainly about it;
 * `not_a_package`: it is no package URL; `not_selected`: another source about it is not selected;
 * `from_not_comparable`, `to_not_comparable`, `version_not_comparable`: these are no versions in
 * its ecosystem; `no_version`: entries from this time that name none; `other_package`: versions of
 * other packages of the repository. `no_releases`: no version is known; `before_history`,
 * `after_history`: what is known begins after `from`, ends before `to` or before `from`;
 * `not_listed`: `from` or `to` lies among what is known and no entry names it; `missing_entries`:
 * entries may have been missed; `without_notes`: versions without notes; `not_compared`: the stack
 * is too large for this part, or its version is not said; `unreadable_file`: the file cannot be
 * read; `not_read`: a line of it names something that is not read; `not_identified`: it names
 * something without a package URL. Of these three the part is `file`.
 */
export type UpgradeReason =
  | "no_source"
  | "not_a_package"
  | "not_selected"
  | "from_not_comparable"
  | "to_not_comparable"
  | "version_not_comparable"
  | "no_version"
  | "other_package"
  | "no_releases"
  | "before_history"
  | "after_history"
  | "not_listed"
  | "missing_entries"
  | "without_notes"
  | "not_compared"
  | "unreadable_file"
  | "not_read"
  | "not_identified"
  | (string & {});

/** A package URL without version and qualifiers. */
export type PackagePart = string;

/** The reason for a no, for programs. By the status where it is not known. */
export type ErrorCode =
  | "invalid_request"
  | "unauthorized"
  | "addon_required"
  | "insufficient_scope"
  | "plan_limit_exceeded"
  | "source_not_selected"
  | "address_refused"
  | "webhook_disabled"
  | "not_found"
  | "method_not_allowed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "rate_limited"
  | "internal_error"
  | "unavailable"
  | (string & {});

/** A source of the full catalog. */
export interface ChangelogSource {
  slug: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** Name of the source for people. */
  name: string;
  kind: Kind;
  /** The vendor's home page. */
  homepage?: string | null;
  /** The official changelog. */
  changelogUrl: string;
  adapterType: AdapterType;
  tier?: Tier;
  /** What the source is about, from a small vocabulary. */
  tags: Array<string>;
  /**
   * Package URLs of what the source is about, without versions: the repository first. Only what a
   * public document says; without one the list is empty.
   */
  purls?: Array<string>;
  /** When the vendor published its newest entry, by the vendor's own clock. */
  lastUpdatedAt?: string | null;
  /** When the service last fetched the source. A check that failed does not count. */
  lastFetchedAt?: string | null;
  health?: Health;
  /** What is wrong, for people, while the source is degraded or problematic. */
  healthMessage?: string | null;
}

/** A source of the public sample. */
export interface ChangelogSourceSample {
  slug: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** Name of the source for people. */
  name: string;
  kind: Kind;
  /** The vendor's home page. */
  homepage?: string | null;
  /** When the vendor published its newest entry, by the vendor's own clock. */
  lastUpdatedAt?: string | null;
  health?: Health;
}

/** A page of the full catalog. */
export interface SourcePage {
  /** How many sources match the filters. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The sources of this page, by slug. */
  items: Array<ChangelogSource>;
}

/** What callers without a key see of the catalog. */
export interface SampleSourcePage {
  /** Says that this is a sample. */
  sample: true;
  /** The size of the whole catalog. */
  total: number;
  /** The size of the sample. */
  limit: 5;
  /** The sample has one page. */
  offset: 0;
  /** The sampled sources, each of another vendor. */
  items: Array<ChangelogSourceSample>;
  /** How to get a key. */
  hint: string;
  /** What a program must not take this for. */
  agent: string;
}

/** One item that a source published. */
export interface ChangelogEntry {
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  source: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** When the vendor says it published the entry. */
  published_at: string;
  /** The title, plain text on one line. */
  title: string;
  /**
   * The version that the entry is the release of, as its tag or title writes it but for a leading
   * v; null where it names none.
   */
  version?: string | null;
  /** Whether that version comes before a release; null where this is not known. */
  prerelease?: boolean | null;
  /** Permanent address of the entry. */
  url?: string | null;
  /**
   * The text of the entry, plain; headings start with `## `, list items with `- `, paragraphs are
   * apart by an empty line.
   */
  summary?: string | null;
  /**
   * What else the adapter knew. The keys depend on the adapter. `date_source` says what
   * `published_at` comes from: the field of the item that it was read from (such as `pubDate`),
   * or, where the item has none, `posting` (its address), `release` (the release or tag in its
   * repository), `neighbour` (the dated entry beside it) or `first_seen` (when it turned up).
   * `undated` is the history of a source without dates: `published_at` is when it was first read,
   * and the entry is not in `/latest`, `/important` and the public feeds.
   */
  raw?: { [name: string]: unknown };
  /** The tags of the source. */
  tags: Array<string>;
}

/** An entry as the public feeds show it, its summary cut at 500 characters. */
export interface PublicEntry {
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  source: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** When the vendor says it published the entry. */
  published_at: string;
  /** The title, plain text on one line. */
  title: string;
  /**
   * What the entry says in one line: the title, or where that only names a version or a day, the
   * product, the version and the strongest evidence or first change.
   */
  headline?: string;
  /**
   * The version that the entry is the release of, as its tag or title writes it but for a leading
   * v; null where it names none.
   */
  version?: string | null;
  /** Whether that version comes before a release; null where this is not known. */
  prerelease?: boolean | null;
  /** Permanent address of the entry. */
  url?: string | null;
  /**
   * The text of the entry, plain. A longer text is cut to its beginning and the passages that make
   * it important, with … where something was left out.
   */
  summary?: string | null;
  /** The tags of the source. */
  tags: Array<string>;
}

/** A public entry and why it is important. */
export interface ImportantEntry {
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  source: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** When the vendor says it published the entry. */
  published_at: string;
  /** The title, plain text on one line. */
  title: string;
  /**
   * What the entry says in one line: the title, or where that only names a version or a day, the
   * product, the version and the strongest evidence or first change.
   */
  headline?: string;
  /**
   * The version that the entry is the release of, as its tag or title writes it but for a leading
   * v; null where it names none.
   */
  version?: string | null;
  /** Whether that version comes before a release; null where this is not known. */
  prerelease?: boolean | null;
  /** Permanent address of the entry. */
  url?: string | null;
  /**
   * The text of the entry, plain. A longer text is cut to its beginning and the passages that make
   * it important, with … where something was left out.
   */
  summary?: string | null;
  /** The tags of the source. */
  tags: Array<string>;
  importance: Importance;
}

/** An entry of a version between two others, with what makes it important. */
export interface UpgradeEntry {
  part: PackagePart;
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  source: Slug;
  /** Identifier of the vendor. */
  vendor: string;
  /** When the vendor says it published the entry. */
  published_at: string;
  /** The title, plain text on one line. */
  title: string;
  /**
   * What the entry says in one line: the title, or where that only names a version or a day, the
   * product, the version and the strongest evidence or first change.
   */
  headline?: string;
  /**
   * The version that the entry is the release of, as its tag or title writes it but for a leading
   * v; null where it names none.
   */
  version?: string | null;
  /** Whether that version comes before a release; null where this is not known. */
  prerelease?: boolean | null;
  /** Permanent address of the entry. */
  url?: string | null;
  /**
   * The text of the entry, plain. A longer text is cut to its beginning and the passages that make
   * it important, with … where something was left out.
   */
  summary?: string | null;
  /** The tags of the source. */
  tags: Array<string>;
  importance?: Importance;
}

/** Why an entry is important, in the vendor's own words. */
export interface Importance {
  /** Why it is important. */
  categories: Array<Category>;
  /** The passages that say so, at least one for each category. */
  evidence: Array<Evidence>;
  /** Dates by which a reader has to act, later than the entry. */
  deadlines?: Array<Deadline>;
}

/** A passage of the entry that puts it in a category, word for word. */
export interface Evidence {
  category: Category;
  /** The field the passage stands in. */
  field: "title" | "summary";
  /** The passage. */
  text: string;
  /** Where it starts in the field as it is here. Counted in characters. */
  start: number;
  /** Where it ends in the field as it is here. Not included. */
  end: number;
}

/** A passage of the entry, word for word. */
export interface Passage {
  /** The field the passage stands in. */
  field: "title" | "summary";
  /** The passage. */
  text: string;
  /** Where it starts in the field as it is here. Counted in characters. */
  start: number;
  /** Where it ends in the field as it is here. Not included. */
  end: number;
}

/** A date by which a reader has to act. */
export interface Deadline {
  kind: DeadlineKind;
  /** The first day it can be. */
  from: string;
  /** The last day it can be. */
  to: string;
  evidence: Passage;
}

/** A page of entries of selected sources. */
export interface EntryPage {
  plan: Plan;
  /** How many entries match. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The entries of this page. Newest first. */
  items: Array<ChangelogEntry>;
}

/** A page of changes, and where to go on. */
export interface ChangePage {
  /** The changes of this page, in the order they were learned. */
  items: Array<EntryChange>;
  /** The cursor after these changes, to be sent as `after`. Keep it once you have dealt with them. */
  next: string;
  /** Whether there are more changes already. */
  more: boolean;
}

/** What happened to an entry, and how it was then, or is now if that text is gone. */
export interface EntryChange {
  change: ChangeKind;
  entry: ChangelogEntry;
}

/** A page of the latest entries. */
export interface PublicEntryPage {
  /** How many entries there are. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The entries of this page. Newest first. */
  items: Array<PublicEntry>;
}

/** A page of important entries. */
export interface ImportantEntryPage {
  /** How many important entries there are. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The entries of this page. Newest first. */
  items: Array<ImportantEntry>;
}

/** A page of deadlines. */
export interface DeadlinePage {
  /** How many deadlines match. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The deadlines of this page. The soonest first. */
  items: Array<EntryDeadline>;
}

/** A date by which a reader has to act, with the entry that says so. */
export interface EntryDeadline {
  kind: DeadlineKind;
  /** The first day it can be. */
  from: string;
  /** The last day it can be. */
  to: string;
  /** Days from today in UTC until the last day, negative when it is past. */
  days: number;
  /** The vendor's sentence that says it. */
  text: string;
  entry: PublicEntry;
  set_by: SettingEntry;
  /** The days that it had before it moved. The first ones first. */
  replaced: Array<ReplacedDays>;
}

/** A page of what lies between two versions, and what is not known of it. */
export interface UpgradePage {
  /** How many entries there are. */
  total: number;
  /** The page size that was used. */
  limit: number;
  /** How many items were skipped. */
  offset: number;
  /** The sources whose entries these are. */
  sources: Array<Slug>;
  /** The entries of this page. What breaks first, then by version. */
  items: Array<UpgradeEntry>;
  /** What could not be found or compared. */
  unknown: Array<UpgradeRemark>;
  /** Where entries or their notes may be missing. */
  gaps: Array<UpgradeRemark>;
  /**
   * The days by which readers of these sources have to act, all of them on every page. What ended
   * more than 30 days ago is there if it is the version at `from` that ended. The soonest first.
   */
  deadlines: Array<EntryDeadline>;
}

/** Something that is not known of a part, and the entries that it is about. */
export interface UpgradeRemark {
  reason: UpgradeReason;
  part: PackagePart;
  /** The same as a sentence. */
  text: string;
  /** How many entries it is about. */
  count: number;
  /** Some of these entries. */
  entries: Array<RemarkEntry>;
}

/** What runs, and what is wanted in its place. */
export interface Stack {
  /** The parts that run, as package URLs with versions. */
  components?: Array<PackageVersion>;
  /**
   * The text of a file that names the parts: CycloneDX, SPDX 2 or 3, `requirements.txt`,
   * `poetry.lock`, `uv.lock`, `package.json`, `package-lock.json`, `pnpm-lock.yaml`, `yarn.lock`,
   * `go.mod`, `Cargo.lock`, `Gemfile.lock`, `pom.xml`, `Dockerfile`, `Chart.yaml` or `Chart.lock`.
   * Which one is told by its content. It may name 20,000 parts.
   */
  file?: string;
  /**
   * The parts that are wanted. Without it, what is newest is. With it, only parts with another
   * version here are compared.
   */
  wanted?: Array<PackageVersion>;
}

/**
 * A package URL with a version. One without a version is looked for in the catalog, and nothing is
 * compared.
 */
export type PackageVersion = string;

/** What a stack has in the catalog, and what came out since. */
export interface StackReport {
  /** The parts with sources that may be read. */
  selected: Array<CoveredPart>;
  /** The parts with sources that are not selected. */
  proposed: Array<CoveredPart>;
  /** The parts that no source is certainly about. */
  uncovered: Array<PackagePart>;
  /** How many entries lie between. */
  total: number;
  counts: CategoryCounts;
  /** The first of these entries. What breaks comes first, then what else is important. */
  items: Array<UpgradeEntry>;
  /** What could not be found or compared. */
  unknown: Array<UpgradeRemark>;
  /** Where entries or their notes may be missing. */
  gaps: Array<UpgradeRemark>;
  /**
   * The days by which those who run these parts have to act. What ended more than 30 days ago is
   * there if it is a version that runs that ended. The soonest first.
   */
  deadlines: Array<EntryDeadline>;
}

/** A part and the sources that are about it. */
export interface CoveredPart {
  part: PackagePart;
  /** Their slugs. */
  sources: Array<Slug>;
}

/** How many of all these entries are important, by reason. */
export interface CategoryCounts {
  /** Something stops working as it did. */
  breaking: number;
  /** Something will go. */
  deprecation: number;
  /** A hole is told of or closed. */
  security: number;
}

/** An entry that a remark is about. */
export interface RemarkEntry {
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  source: Slug;
  /** The title, plain text on one line. */
  title: string;
  /** The version that it names; null where it names none. */
  version: string | null;
}

/** The entry that announced a deadline first. The same as its entry unless the date moved. */
export interface SettingEntry {
  /** Stable id, the vendor's own or a hash of url and date. */
  id: string;
  /** The title, plain text on one line. */
  title: string;
  /** When the vendor says it published the entry. */
  published_at: string;
}

/** Days that a deadline had before. */
export interface ReplacedDays {
  /** The first day it could be. */
  from: string;
  /** The last day it could be. */
  to: string;
}

/** A changelog that should be added. */
export interface SourceRequest {
  /** Address of the changelog, http or https, without a user or password. */
  url: string;
  /** Name of the changelog. Not stored. */
  name?: string;
  /** Name of the vendor. Not stored. */
  vendor?: string;
  /** Anything the operator should know. */
  note?: string;
  /** An address to answer to. Not stored. */
  email?: string;
}

/** What the service keeps of a source request. */
export interface SourceRequestRecord {
  /** Identifier of the request. */
  id: string;
  status: RequestStatus;
  /** The URL that was asked for, its scheme in lower case. */
  url: string;
  /** Confirms that only the URL and the note are stored. */
  message: string;
}

/** The newest changes of a source. */
export interface DiffPage {
  source: Slug;
  adapterType: AdapterType;
  /** How many diffs of the source are kept. */
  total: number;
  /** The diffs. Newest first. */
  items: Array<Diff>;
}

/** What changed between two snapshots of a source. Applied to before, it gives after. */
export interface Diff {
  /** Identifier of the diff. */
  id: string;
  before: Snapshot;
  after: Snapshot;
  stats: DiffStats;
  /** Whether changes or texts were left out because there were too many. */
  truncated: boolean;
  /** The single changes. */
  changes: Array<Change>;
}

/** What a source showed when it was checked. */
export interface Snapshot {
  /** Identifier of the snapshot. */
  snapshotId: string;
  /** When the source was fetched. */
  fetchedAt: string;
  /** SHA-256 of the content, noise removed. */
  contentHash: string;
  /** How many entries it held. */
  entryCount: number;
}

/** How many entries or blocks were added, changed, removed or left as they were. */
export interface DiffStats {
  /** New ones. */
  added: number;
  /** Edited or moved ones. */
  changed: number;
  /** Ones the vendor took away. */
  removed: number;
  /** Ones that fell off the end of what the vendor shows. */
  rolledOff: number;
  /** Ones that stayed as they were. */
  unchanged: number;
}

/** What happened to one entry, or to one block of a page. */
export interface Change {
  op: ChangeOp;
  /** The entry it happened to. Absent for a block. */
  entryId?: string;
  block?: BlockPlace;
  /** What it was. Null where there was nothing. */
  before: { [name: string]: unknown } | null;
  /** What it is. Null where there is nothing any more. */
  after: { [name: string]: unknown } | null;
  /** The fields that changed, one by one. Empty unless something was edited or moved. */
  fields: Array<FieldChange>;
  /** The silent edits in it. Empty for what was added, moved or rolled off. */
  facts?: Array<Fact>;
}

/** Where a block stands on a page. Absent for an entry. */
export interface BlockPlace {
  /** The headings above the block. Outermost first. */
  heading: Array<string>;
  /** Its place among the blocks of the page, from 0. */
  index: number;
}

/** A field that changed. */
export interface FieldChange {
  /** Name of the field in before and after. */
  path: string;
  before: FieldValue;
  after: FieldValue;
  /**
   * Both texts as one row of runs of words: without the inserts the text before, without the
   * deletes the text after. Absent where nothing stayed, and for what is not a text.
   */
  spans?: Array<Span>;
}

/** The value of a field. Null where it had none. */
export type FieldValue =
  | null
  | string
  | number
  | boolean
  | Array<string>;

/** A run of words that stayed, came or went. */
export interface Span {
  /** What happened to it. */
  op: "equal" | "insert" | "delete";
  /** The run. */
  text: string;
}

/** One silent edit. */
export interface Fact {
  type: FactType;
  /** The field it is about. Null for the whole entry. */
  path: string | null;
  /**
   * The word or label that came or went, or the id of the entry that replaces this one. Null for
   * the other types.
   */
  detail: string | null;
}

/** The body of every error response. */
export interface Error {
  /** The same text as message. */
  error: string;
  code: ErrorCode;
  /** What is wrong, for people. */
  message: string;
  /** What to do about it. */
  hint?: string;
}

/**
 * Who reads the messages: `plain` is JSON for a program, the others are what Slack, the Workflows
 * of Microsoft Teams and Discord take.
 */
export type WebhookFormat = "plain" | "slack" | "teams" | "discord";

/** Every new or edited entry, or those that are important. */
export type WebhookEvents = "all" | "important";

/** Whether a message waits for an attempt, arrived, or was given up. */
export type DeliveryState = "pending" | "delivered" | "dead";

/** A webhook that should be made. */
export interface WebhookInput {
  /** Its name for people, kept on one line without what cannot be shown. */
  name: string;
  /** Where messages are sent with POST: https and public. */
  url: string;
  format?: WebhookFormat;
  events?: WebhookEvents;
  /**
   * The public id of a key of the account, of which the webhook gets the selected sources; without
   * it those of all keys.
   */
  key?: string;
  /** The id of a saved filter of the account that narrows it. */
  filter?: string;
}

/** Which webhook is meant. */
export interface OneWebhook {
  /** The id of a webhook of the account. */
  webhook: string;
}

/** What is sent again. */
export interface Redelivery {
  /** The id of a webhook of the account. */
  webhook: string;
  /** The id of one of its deliveries; without it every dead letter. */
  delivery?: string;
}

/** An address that messages are sent to. */
export interface Webhook {
  /** Its id. */
  id: string;
  /** Its name for people. */
  name: string;
  /** Where messages are sent. */
  url: string;
  format: WebhookFormat;
  events: WebhookEvents;
  /**
   * The public id of the key whose selection it follows; absent: all that the account has
   * selected.
   */
  key?: string;
  /** The id of the saved filter that narrows it. */
  filter?: string;
  /** When it was made. */
  createdAt: string;
  /** How many attempts failed in a row. */
  failures: number;
  /** Since when. */
  failingSince?: string;
  /** When something was last sent. */
  lastAttemptAt?: string;
  /** When something last arrived. */
  lastSuccessAt?: string;
  /** When it was switched off. */
  disabledAt?: string;
  /**
   * Why it was: by its owner or the operator, its server answered 410, nothing arrived for three
   * days, or every source that it was about has left the catalog.
   */
  disabledReason?:
    | "owner"
    | "operator"
    | "gone"
    | "failing"
    | "nothing_left"
    | (string & {});
}

/** The webhooks of an account. */
export interface WebhookList {
  /** How many there are. */
  total: number;
  /** The webhooks. The oldest first. */
  items: Array<Webhook>;
}

/** A webhook with a secret that was just made. */
export interface WebhookSecret {
  /** What messages are signed with (Standard Webhooks): keep it. */
  secret: string;
  webhook: Webhook;
}

/** A webhook that is no more. */
export interface DeletedWebhook {
  /** The id that it had. */
  webhook: string;
}

/** Messages that are on their way. */
export interface QueuedDeliveries {
  /** The id of their webhook. */
  webhook: string;
  /** How many there are. */
  queued: number;
  /** The id of the delivery, of one. */
  delivery?: string;
}

/** One attempt to send a message. */
export interface DeliveryAttempt {
  /** When it was made. */
  at: string;
  /** How long it took. */
  durationMs: number;
  /** The status of the answer; absent when none came. */
  status?: number;
  /** What went wrong. */
  fault?: string;
  /** The beginning of the answer. */
  answer?: string;
}

/** A message to a webhook. */
export interface Delivery {
  /** The id of the delivery. */
  id: string;
  /** The `webhook-id` that it is sent with, the same at every attempt. */
  messageId: string;
  /** What happened. */
  type:
    | "entry.published"
    | "entry.edited"
    | "webhook.test"
    | (string & {});
  state: DeliveryState;
  /** When it was queued. */
  createdAt: string;
  /** How often it was tried since it was last queued. */
  attempts: number;
  /** When it is tried next; absent when it has ended. */
  nextAttemptAt?: string;
  source?: Slug;
  /** The title of its entry. */
  title?: string;
  lastAttempt?: DeliveryAttempt;
}

/** A page of what was sent to a webhook. */
export interface DeliveryPage {
  /** How many there are. */
  total: number;
  /** How many a page holds. */
  limit: number;
  /** How many come before this page. */
  offset: number;
  /** The deliveries. The newest first. */
  items: Array<Delivery>;
}
