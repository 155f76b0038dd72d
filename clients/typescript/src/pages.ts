import { InvalidCall } from "./errors.js";

/** The most items that a page can hold. */
export const LARGEST = 100;

/** What every page has. */
export interface PageShape<Item> {
  total: number;
  limit: number;
  offset: number;
  items: Item[];
}

/** How far a list is read: `limit` items in all, from an `offset`. */
export interface Span {
  limit?: number | undefined;
  offset?: number | undefined;
}

/** What reads pages: the first place and the number of items, to a page. */
export type FetchPage<Page> = (limit: number, offset: number) => Promise<Page>;

/**
 * A list of the API, requested one page at a time as it is read. `for await` gives items, `pages()`
 * answers, `first()` one answer. Each reading makes new requests. An item that moves to the next page
 * because newer ones came is given once.
 */
export class Pages<Page extends PageShape<Item>, Item> implements AsyncIterable<Item> {
  readonly #fetch: FetchPage<Page>;
  readonly #limit: number | undefined;
  readonly #offset: number;

  constructor(fetch: FetchPage<Page>, { limit, offset = 0 }: Span) {
    if (limit !== undefined && !(limit >= 1)) throw new InvalidCall("limit must be at least 1");
    if (!(offset >= 0)) throw new InvalidCall("offset must be at least 0");
    this.#fetch = fetch;
    this.#limit = limit;
    this.#offset = offset;
  }

  /** Request one page of `limit` items, at most 100. */
  first(): Promise<Page> {
    return this.#fetch(Math.min(this.#limit ?? LARGEST, LARGEST), this.#offset);
  }

  /** Give the pages, each requested when it is needed. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let offset = this.#offset;
    for (let left = this.#limit ?? Infinity; left > 0; ) {
      const page = await this.#fetch(Math.min(left, LARGEST), offset);
      yield page;
      const count = page.items.length;
      offset += count;
      left -= count;
      if (count === 0 || offset >= page.total) return;
    }
  }

  /** Give the items, each once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    const given = new Set<string>();
    for await (const page of this.pages()) {
      for (const item of page.items) {
        const identity = identityOf(item as object);
        if (given.has(identity)) continue;
        given.add(identity);
        yield item;
      }
    }
  }

  /** Return all items, up to `limit`. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}

/** Return what identifies an item of a list. */
function identityOf(item: object): string {
  const { slug, messageId, id, source, entry, kind, from, to } = item as Record<string, any>;
  if (slug !== undefined) return String(slug);
  if (messageId !== undefined) return String(id);
  if (entry !== undefined) return JSON.stringify([entry.source, entry.id, kind, from, to]);
  return JSON.stringify([source, id]);
}
