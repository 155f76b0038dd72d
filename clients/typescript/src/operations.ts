// One method for each operation of the contract.
//
// Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the
// top of the checkout.

import type { CallOptions, PageOptions, SendOptions, Time } from "./calls.js";
import { Calls } from "./calls.js";
import type { Pages } from "./pages.js";
import type {
  AdapterType,
  Category,
  ChangePage,
  ChangelogEntry,
  ChangelogSource,
  DeadlinePage,
  DeletedWebhook,
  Delivery,
  DeliveryPage,
  DeliveryState,
  DiffPage,
  EntryDeadline,
  EntryPage,
  ImportantEntry,
  ImportantEntryPage,
  OneWebhook,
  PublicEntry,
  PublicEntryPage,
  QueuedDeliveries,
  Redelivery,
  SearchOrder,
  Slug,
  SourcePage,
  SourceRequest,
  SourceRequestRecord,
  Stack,
  StackReport,
  UpgradeEntry,
  UpgradePage,
  WebhookInput,
  WebhookList,
  WebhookSecret,
} from "./shapes.js";

/** What sources() takes by name. */
export interface SourcesOptions extends PageOptions {
  /** Only sources of this vendor, by its identifier. */
  vendor?: string;
  /** Only sources that are meant by these words, the likeliest first. */
  q?: string;
  /** Only sources that are read this way. */
  adapterType?: AdapterType;
  /** Only sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /** When true, only the sources available to the key. */
  selected?: boolean;
}

/** What entries() takes by name. */
export interface EntriesOptions extends PageOptions {
  /** Only entries published after this time, not at it. */
  since?: Time;
  /** Only what is about this vendor, by its identifier. */
  vendor?: string;
  /** Only what is about sources with this tag, for example `databases`. */
  tag?: string;
  /** Only what is about sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /**
   * Only entries that are important for one of these reasons: separated by commas
   * (`category=breaking,security`), the parameter repeated for each, or both.
   */
  category?: Iterable<Category>;
  /**
   * `false` leaves out what is the release of a version that comes before another, such as a beta;
   * `true` gives only that.
   */
  prerelease?: "false" | "true";
  /** Only entries published at this time or before it, written as `since` is. */
  until?: Time;
  /**
   * Only entries that these words occur in: in the title, the headline, the summary as it is
   * served, the slug of the source; with a key, in the whole text.
   */
  q?: string;
  /**
   * The order of what `q` finds: `date`, the newest first, or `relevance`, what has all words in
   * its title first, then in what is public, the newest first in each.
   */
  order?: SearchOrder;
}

/** What diffs() takes by name. */
export interface DiffsOptions extends CallOptions {}

/** What important() takes by name. */
export interface ImportantOptions extends PageOptions {
  /** Only what is about this vendor, by its identifier. */
  vendor?: string;
  /** Only what is about sources with this tag, for example `databases`. */
  tag?: string;
  /** Only what is about sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /**
   * Only entries that are important for one of these reasons: separated by commas
   * (`category=breaking,security`), the parameter repeated for each, or both.
   */
  category?: Iterable<Category>;
  /**
   * `false` leaves out what is the release of a version that comes before another, such as a beta;
   * `true` gives only that.
   */
  prerelease?: "false" | "true";
  /** Only entries published after this time, not at it. */
  since?: Time;
  /** Only entries published at this time or before it, written as `since` is. */
  until?: Time;
  /**
   * Only entries that these words occur in: in the title, the headline, the summary as it is
   * served, the slug of the source; with a key, in the whole text.
   */
  q?: string;
  /**
   * The order of what `q` finds: `date`, the newest first, or `relevance`, what has all words in
   * its title first, then in what is public, the newest first in each.
   */
  order?: SearchOrder;
}

/** What latest() takes by name. */
export interface LatestOptions extends PageOptions {
  /** When true, entries dated in the future are returned too. */
  future?: boolean;
  /** Only what is about this vendor, by its identifier. */
  vendor?: string;
  /** Only what is about sources with this tag, for example `databases`. */
  tag?: string;
  /** Only what is about sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /**
   * Only entries that are important for one of these reasons: separated by commas
   * (`category=breaking,security`), the parameter repeated for each, or both.
   */
  category?: Iterable<Category>;
  /**
   * `false` leaves out what is the release of a version that comes before another, such as a beta;
   * `true` gives only that.
   */
  prerelease?: "false" | "true";
  /** Only entries published after this time, not at it. */
  since?: Time;
  /** Only entries published at this time or before it, written as `since` is. */
  until?: Time;
  /**
   * Only entries that these words occur in: in the title, the headline, the summary as it is
   * served, the slug of the source; with a key, in the whole text.
   */
  q?: string;
  /**
   * The order of what `q` finds: `date`, the newest first, or `relevance`, what has all words in
   * its title first, then in what is public, the newest first in each.
   */
  order?: SearchOrder;
}

/** What changes() takes by name. */
export interface ChangesOptions extends CallOptions {
  /** Where to go on: the `next` of the last page that you dealt with. */
  after?: string;
  /**
   * Only changes of these sources, as slugs: separated by commas, the parameter repeated for each,
   * or both.
   */
  sources?: Iterable<Slug>;
  /** How many items a page holds at most. */
  limit?: number;
  /** How many seconds the answer may wait until there is a change to give. */
  wait?: number;
  /** Only what is about this vendor, by its identifier. */
  vendor?: string;
  /** Only what is about sources with this tag, for example `databases`. */
  tag?: string;
  /** Only what is about sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /**
   * Only entries that are important for one of these reasons: separated by commas
   * (`category=breaking,security`), the parameter repeated for each, or both.
   */
  category?: Iterable<Category>;
  /**
   * `false` leaves out what is the release of a version that comes before another, such as a beta;
   * `true` gives only that.
   */
  prerelease?: "false" | "true";
  /** Only entries published after this time, not at it. */
  since?: Time;
  /** Only entries published at this time or before it, written as `since` is. */
  until?: Time;
  /**
   * Only entries that these words occur in: in the title, the headline, the summary as it is
   * served, the slug of the source; with a key, in the whole text.
   */
  q?: string;
}

/** What deadlines() takes by name. */
export interface DeadlinesOptions extends PageOptions {
  /** Only deadlines that end on this day or later. */
  from?: string;
  /** Only deadlines that begin on this day or earlier. */
  to?: string;
  /** Only what is about this vendor, by its identifier. */
  vendor?: string;
  /** Only what is about sources with this tag, for example `databases`. */
  tag?: string;
  /** Only what is about sources that publish this kind of changelog, for example `release_notes`. */
  kind?: string;
  /**
   * Only entries that are important for one of these reasons: separated by commas
   * (`category=breaking,security`), the parameter repeated for each, or both.
   */
  category?: Iterable<Category>;
  /**
   * `false` leaves out what is the release of a version that comes before another, such as a beta;
   * `true` gives only that.
   */
  prerelease?: "false" | "true";
  /** Only entries published after this time, not at it. */
  since?: Time;
  /** Only entries published at this time or before it, written as `since` is. */
  until?: Time;
  /**
   * Only entries that these words occur in: in the title, the headline, the summary as it is
   * served, the slug of the source; with a key, in the whole text.
   */
  q?: string;
}

/** What upgrades() takes by name. */
export interface UpgradesOptions extends PageOptions {
  /** The part, as a package URL such as `pkg:npm/left-pad` or `pkg:github/acme/compute`. */
  purl?: string;
  /**
   * When true, all parts that the account has saved at `/app/stack`, each from the version that
   * runs to the newest that is known, in the place of `purl`, `from` and `to`, which then do not
   * count.
   */
  stack?: boolean;
  /** The version that is there: only what came after it. */
  from?: string;
  /** The version that is wanted: nothing after it. */
  to?: string;
}

/** What webhooks() takes by name. */
export interface WebhooksOptions extends CallOptions {}

/** What deliveries() takes by name. */
export interface DeliveriesOptions extends PageOptions {
  /** Only deliveries that are waiting, that arrived, or that were given up. */
  state?: DeliveryState;
}

/** The operations of the API. */
export abstract class Operations extends Calls {
  /** List the catalog, or a sample of it. */
  sources(options: SourcesOptions = {}): Pages<SourcePage, ChangelogSource> {
    return this.pages<SourcePage, ChangelogSource>("/sources", options, true);
  }

  /** Ask for a changelog to be added. */
  requestSource(body: SourceRequest, options: CallOptions = {}): Promise<SourceRequestRecord> {
    return this.post<SourceRequestRecord>("/sources/request", body, options, false);
  }

  /**
   * List the entries of selected sources.
   *
   * `sources`: The sources to read, as slugs: separated by commas
   * (`sources=acme.compute,acme.storage`), the parameter repeated for each, or both; all mean the
   * same.
   */
  entries(sources: Iterable<Slug>, options: EntriesOptions = {}): Pages<EntryPage, ChangelogEntry> {
    return this.pages<EntryPage, ChangelogEntry>("/entries", { sources, ...options }, true);
  }

  /**
   * Get the structured changes of a source.
   *
   * `source`: The source whose changes to get, as its slug.
   */
  diffs(source: Slug, options: DiffsOptions = {}): Promise<DiffPage> {
    return this.get<DiffPage>("/diffs", { source, ...options }, true);
  }

  /** List important entries. */
  important(options: ImportantOptions = {}): Pages<ImportantEntryPage, ImportantEntry> {
    return this.pages<ImportantEntryPage, ImportantEntry>("/important", options, false);
  }

  /** List the latest entries. */
  latest(options: LatestOptions = {}): Pages<PublicEntryPage, PublicEntry> {
    return this.pages<PublicEntryPage, PublicEntry>("/latest", options, false);
  }

  /** List what is new, edited or removed, in the order it was learned. */
  changes(options: ChangesOptions = {}): Promise<ChangePage> {
    return this.get<ChangePage>("/changes", options, true);
  }

  /** List the days by which readers have to act. */
  deadlines(options: DeadlinesOptions = {}): Pages<DeadlinePage, EntryDeadline> {
    return this.pages<DeadlinePage, EntryDeadline>("/deadlines", options, false);
  }

  /** List what lies between two versions of a part. */
  upgrades(options: UpgradesOptions = {}): Pages<UpgradePage, UpgradeEntry> {
    return this.pages<UpgradePage, UpgradeEntry>("/upgrades", options, true);
  }

  /** Say what breaks between what runs and what came out. */
  checkStack(body: Stack, options: CallOptions = {}): Promise<StackReport> {
    return this.post<StackReport>("/stacks", body, options, false);
  }

  /** List the webhooks of the account. */
  webhooks(options: WebhooksOptions = {}): Promise<WebhookList> {
    return this.get<WebhookList>("/webhooks", options, true);
  }

  /** Make a webhook. */
  createWebhook(body: WebhookInput, options: SendOptions = {}): Promise<WebhookSecret> {
    return this.post<WebhookSecret>("/webhooks", body, options, true);
  }

  /** Send a test to a webhook. */
  testWebhook(body: OneWebhook, options: SendOptions = {}): Promise<QueuedDeliveries> {
    return this.post<QueuedDeliveries>("/webhooks/test", body, options, true);
  }

  /** Give a webhook a new secret. */
  rotateWebhook(body: OneWebhook, options: SendOptions = {}): Promise<WebhookSecret> {
    return this.post<WebhookSecret>("/webhooks/rotate", body, options, true);
  }

  /** Delete a webhook. */
  deleteWebhook(body: OneWebhook, options: SendOptions = {}): Promise<DeletedWebhook> {
    return this.post<DeletedWebhook>("/webhooks/delete", body, options, true);
  }

  /**
   * List what was sent to a webhook.
   *
   * `webhook`: The id of a webhook of the account.
   */
  deliveries(webhook: string, options: DeliveriesOptions = {}): Pages<DeliveryPage, Delivery> {
    return this.pages<DeliveryPage, Delivery>("/webhooks/deliveries", { webhook, ...options }, true);
  }

  /** Send messages of a webhook again. */
  redeliverWebhook(body: Redelivery, options: SendOptions = {}): Promise<QueuedDeliveries> {
    return this.post<QueuedDeliveries>("/webhooks/redeliver", body, options, true);
  }
}
