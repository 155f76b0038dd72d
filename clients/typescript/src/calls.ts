import { InvalidCall, KeyMissing } from "./errors.js";
import { merged } from "./merged.js";
import { type PageShape, Pages } from "./pages.js";
import type { Transport } from "./transport.js";

/** How many sources one request may name. */
export const MOST_NAMED = 100;

/** A time: a Date, or as the API writes it. */
export type Time = Date | string;

/** What every call takes. */
export interface CallOptions {
  /** Ends the call, its waits and its retries; the call throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** What every list takes. */
export interface PageOptions extends CallOptions {
  /** The most items in all; without it all of them. */
  limit?: number | undefined;
  /** How many items are passed over. */
  offset?: number | undefined;
}

/** What takes a name under which it may be sent again. */
export interface SendOptions extends CallOptions {
  /** One of the client's own without it: a call is done once, however often its connection is lost. */
  idempotencyKey?: string | undefined;
}

/** The requests that operations are made of: one answer, or pages of a list. */
export abstract class Calls {
  protected readonly transport: Transport;
  protected readonly hasKey: boolean;

  protected constructor(transport: Transport, hasKey: boolean) {
    this.transport = transport;
    this.hasKey = hasKey;
  }

  protected async get<Answer>(path: string, options: object, needsKey: boolean): Promise<Answer> {
    this.requireKey(needsKey);
    return this.fetch<Answer>(path, options);
  }

  protected async fetch<Answer>(path: string, options: object): Promise<Answer> {
    const { signal, ...query } = options as CallOptions & Record<string, unknown>;
    const wait = typeof query["wait"] === "number" ? query["wait"] : 0;
    return (await this.transport.get(path, queryOf(query), wait, signal)) as Answer;
  }

  protected async post<Answer>(path: string, body: object, options: SendOptions, once: boolean): Promise<Answer> {
    const name = once ? (options.idempotencyKey ?? newIdempotencyKey()) : undefined;
    return (await this.transport.post(path, body, name, options.signal)) as Answer;
  }

  protected pages<Page extends PageShape<Item>, Item>(
    path: string,
    options: object,
    needsKey: boolean,
  ): Pages<Page, Item> {
    this.requireKey(needsKey);
    const { limit, offset, ...query } = options as PageOptions & { sources?: Iterable<string> };
    const groups = query.sources === undefined ? [] : batched(query.sources);
    if (groups.length > 1) {
      const most = limit === undefined ? undefined : limit + (offset ?? 0); // all may be of one group
      const parts = groups.map((sources) => this.pages<any, any>(path, { ...query, sources, limit: most }, needsKey));
      return merged<any, any>(parts, { limit, offset });
    }
    const fetch = (limit: number, offset: number) => this.fetch<Page>(path, { ...query, limit, offset });
    return new Pages<Page, Item>(fetch, { limit, offset });
  }

  protected requireKey(needsKey: boolean): void {
    if (needsKey && !this.hasKey) {
      throw new KeyMissing("This call needs an API key.", {
        hint: "Keys are made on the site, at /app/api-keys.",
      });
    }
  }
}

/** Return slugs in as many as one request may name, each once. */
export function batched(slugs: Iterable<string>): string[][] {
  const every = [...new Set(listed(slugs))];
  const groups: string[][] = [];
  for (let start = 0; start < every.length; start += MOST_NAMED) {
    groups.push(every.slice(start, start + MOST_NAMED));
  }
  return groups;
}

/** Return the items of a list; one text may hold several, with commas. */
export function listed(values: Iterable<string>): string[] {
  return typeof values === "string" ? values.split(",") : [...values];
}

/** Return options as the API's parameters: what is undefined or false is left out. */
function queryOf(options: Record<string, unknown>): string {
  const sent = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    sent.set(name, written(value));
  }
  return String(sent);
}

function written(value: unknown): string {
  if (value === true) return "1";
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new InvalidCall("A Date holds no time.");
    return value.toISOString();
  }
  if (typeof value === "object") return listed(value as Iterable<string>).join(",");
  return String(value);
}

/** Return a name for a request, under which it may be sent again. */
function newIdempotencyKey(): string {
  const half = () => Math.random().toString(36).slice(2);
  return globalThis.crypto?.randomUUID?.() ?? `${Date.now()}-${half()}-${half()}`;
}
