import { type Cache, MemoryCache } from "./cache.js";
import { type CallOptions, listed, MOST_NAMED } from "./calls.js";
import { InvalidCall, UnexpectedAnswer, UnknownSource } from "./errors.js";
import { type ChangesOptions, Operations } from "./operations.js";
import { RETRY, type RetryPolicy, sleep } from "./retry.js";
import type { ChangelogEntry, ChangelogSource, ChangePage, EntryChange, Plan, SampleSourcePage } from "./shapes.js";
import { baseUrlOf, Transport } from "./transport.js";

/** Milliseconds between two requests that were to wait and did not. */
const PAUSE = 1000;
/** Seconds that a request waits while a tail is read. */
const TAIL = 25;

/** What a client is made with. */
export interface ClientOptions {
  /** Without one only what is public can be read. */
  apiKey?: string | undefined;
  /** Milliseconds until an answer has to be there, whole; `wait` of a call comes on top. */
  timeout?: number;
  retry?: Partial<RetryPolicy>;
  /** In memory without one. */
  cache?: Cache;
  /** What sends requests in the place of the platform's fetch: through a proxy, or in a test. */
  fetch?: typeof globalThis.fetch;
  /** From 0 to 1; lengthens waits, so that many clients do not come back together. */
  random?: () => number;
}

/** What `follow()` takes. */
export interface FollowOptions extends Omit<ChangesOptions, "after"> {
  /** Where to go on: without it at the start, `now`, or the one of the last News that was dealt with. */
  cursor?: string | undefined;
  /** Never end: wait for what comes. */
  live?: boolean;
}

/** Changes and the cursor after them. Store `cursor` once they are dealt with. */
export interface News {
  changes: EntryChange[];
  /** The entries that are new or edited. */
  entries: ChangelogEntry[];
  cursor: string;
}

/** The API with one key, or without. */
export class Client extends Operations {
  /** `url`: of the site, with or without /api/v1. Nothing is sent yet; throws InvalidCall. */
  constructor(url: string | URL, options: ClientOptions = {}) {
    const { apiKey, timeout = 30_000, retry, cache, fetch, random = Math.random } = options;
    const sender = {
      baseUrl: baseUrlOf(url),
      apiKey,
      timeout,
      retry: { ...RETRY, ...retry },
      cache: cache ?? new MemoryCache(),
      fetch: fetch ?? ((...sent: Parameters<typeof globalThis.fetch>) => globalThis.fetch(...sent)),
      random,
    };
    super(new Transport(sender), apiKey !== undefined);
  }

  /** The API's base address; it ends with /api/v1. */
  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /** Get what callers without a key see of the catalog. */
  async sample(options: CallOptions = {}): Promise<SampleSourcePage> {
    if (this.hasKey) throw new InvalidCall("With a key there is the whole catalog: use sources().");
    return this.fetch<SampleSourcePage>("/sources", options);
  }

  /** Get one source of the catalog; throws UnknownSource. */
  async source(slug: string, options: CallOptions = {}): Promise<ChangelogSource> {
    const [vendor, rest] = slug.split(".", 2); // a slug starts with its vendor
    if (vendor && rest !== undefined) {
      for await (const source of this.sources({ ...options, vendor })) {
        if (source.slug === slug) return source;
      }
    }
    throw new UnknownSource(`The catalog has no source ${slug}.`, { hint: "Search it with sources({ q })." });
  }

  /** Get the plan of the key's account; undefined if no source is selected. */
  async plan(options: CallOptions = {}): Promise<Plan | undefined> {
    const { items } = await this.sources({ ...options, selected: true, limit: 1 }).first();
    const [selected] = items;
    if (selected === undefined) return undefined;
    return (await this.entries([selected.slug], { ...options, limit: 1 }).first()).plan;
  }

  /**
   * Give everything that the service learned since a cursor, the oldest first, until now, or with `live`
   * for as long as it is read. There is at least one News, which is empty where nothing is new.
   * Without `sources`: of all that the key may read. There may be any number of them.
   */
  async *follow(options: FollowOptions = {}): AsyncGenerator<News, void, undefined> {
    this.requireKey(true);
    const { cursor, live = false, sources, ...query } = { limit: 100, ...options };
    const named = sources === undefined ? undefined : [...new Set(listed(sources))];
    const chosen = named !== undefined && named.length > MOST_NAMED ? new Set(named) : undefined;
    const wait = query.wait ?? (live ? TAIL : 0);
    const sent = { ...query, wait: wait || undefined, ...(chosen === undefined && { sources: named }) };
    for (let after = cursor, more = true; more; ) {
      const began = Date.now();
      const page = await this.fetch<ChangePage>("/changes", { ...sent, after });
      const { news, goesOn } = newsOf(page, chosen);
      more = live || (goesOn && news.cursor !== after);
      after = news.cursor;
      yield news;
      if (more && !goesOn && page.items.length === 0 && Date.now() - began < PAUSE) {
        await sleep(PAUSE, query.signal); // too many requests wait there already
      }
    }
  }
}

function newsOf(page: ChangePage, chosen: ReadonlySet<string> | undefined): { news: News; goesOn: boolean } {
  if (typeof page.next !== "string" || typeof page.more !== "boolean" || !Array.isArray(page.items)) {
    throw new UnexpectedAnswer("The answer does not say where to go on.", {
      hint: "Does this service know /changes?",
    });
  }
  const changes = page.items.filter(({ entry }) => chosen === undefined || chosen.has(entry.source));
  const entries = changes.filter(({ change }) => change !== "removed").map(({ entry }) => entry);
  return { news: { changes, entries, cursor: page.next }, goesOn: page.more };
}
