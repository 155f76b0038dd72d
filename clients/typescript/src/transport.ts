import { type Cache, prefixOf } from "./cache.js";
import { ERRORS } from "./codes.js";
import { ApiError, ChangewireError, InvalidCall, UnexpectedAnswer, Unreachable } from "./errors.js";
import { RETRIED, type RetryPolicy, retryAfterOf, sleep, waitAfter } from "./retry.js";

const BASE_PATH = "/api/v1";
const NOT_MODIFIED = 304;
const KEY_HEADER = "Idempotency-Key";

type JsonObject = Record<string, unknown>;

/** What sends requests: one key, one address. */
export interface Sender {
  baseUrl: string;
  apiKey: string | undefined;
  timeout: number;
  retry: RetryPolicy;
  cache: Cache;
  fetch: typeof globalThis.fetch;
  random: () => number;
}

/** What one request is made of. */
interface Sent {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal | undefined;
  timeout: number;
}

/** A whole answer. */
interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

/** Return the API's base address from a site's address or from itself, whatever its version. */
export function baseUrlOf(address: string | URL): string {
  let url: URL;
  try {
    url = new URL(String(address).trim());
  } catch (cause) {
    throw new InvalidCall(`${address} is not an address such as https://changewire.example`, { cause });
  }
  if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new InvalidCall("The address of the service is one such as https://changewire.example");
  }
  const path = url.pathname.replace(/\/+$/, "");
  return url.origin + (/\/api\/v[0-9]+$/.test(path) ? path : path + BASE_PATH);
}

/** Sends requests: conditional, with retries; what goes wrong is thrown as a ChangewireError. */
export class Transport {
  readonly #sender: Sender;
  readonly #headers: Record<string, string>;
  #prefix: Promise<string> | undefined;

  constructor(sender: Sender) {
    const { apiKey } = sender;
    if (apiKey !== undefined && !/^[!-~]+$/.test(apiKey)) {
      throw new InvalidCall("The API key holds characters that no key has.");
    }
    this.#sender = sender;
    this.#headers = { Accept: "application/json" };
    if (apiKey !== undefined) this.#headers["Authorization"] = `Bearer ${apiKey}`;
  }

  get baseUrl(): string {
    return this.#sender.baseUrl;
  }

  /** Return the answer to a GET. A 304 is answered from the cache. */
  async get(path: string, query: string, wait: number, signal?: AbortSignal): Promise<JsonObject> {
    const url = this.baseUrl + path + (query && `?${query}`);
    this.#prefix ??= prefixOf(this.#sender.apiKey);
    const name = `${await this.#prefix} ${url}`;
    const cached = await this.#cache(async (cache) => cache.find(name));
    const headers = { ...this.#headers, ...(cached && { "If-None-Match": cached.etag }) };
    const timeout = this.#sender.timeout + wait * 1000;
    const answer = await this.#send({ method: "GET", url, headers, signal, timeout });
    if (answer.status === NOT_MODIFIED && cached) return objectOf(url, { ...answer, text: cached.body });
    const document = objectOf(url, answer);
    const etag = answer.headers.get("etag");
    if (etag && !answer.headers.get("cache-control")?.includes("no-store")) {
      await this.#cache(async (cache) => cache.save(name, { etag, body: answer.text }));
    }
    return document;
  }

  /** Send a JSON object. With `once`, an Idempotency-Key, it is sent again where a connection was lost. */
  async post(path: string, body: object, once?: string, signal?: AbortSignal): Promise<JsonObject> {
    const headers = {
      ...this.#headers,
      "Content-Type": "application/json",
      ...(once !== undefined && { [KEY_HEADER]: once }),
    };
    const url = this.baseUrl + path;
    const { timeout } = this.#sender;
    const sent = { method: "POST", url, headers, body: JSON.stringify(body), signal, timeout } as const;
    return objectOf(url, await this.#send(sent));
  }

  async #cache<Value>(use: (cache: Cache) => Promise<Value>): Promise<Value | undefined> {
    try {
      return await use(this.#sender.cache);
    } catch {
      return undefined; // a full disk must not lose the answer
    }
  }

  async #send(sent: Sent): Promise<Answer> {
    for (let tried = 1; ; tried++) {
      const { failure, again, retryAfter, answer } = await this.#attempt(sent);
      if (answer !== undefined) return answer;
      const { retry, random } = this.#sender;
      const wait = again ? waitAfter(retry, tried, retryAfter, random()) : undefined;
      if (wait === undefined) throw failure;
      await sleep(wait, sent.signal);
    }
  }

  async #attempt(
    sent: Sent,
  ): Promise<{ answer?: Answer; failure?: ChangewireError; again?: boolean; retryAfter?: number | undefined }> {
    try {
      const answer = await this.#request(sent);
      if (isWanted(answer.status)) return { answer };
      const retryAfter = retryAfterOf(answer.headers, Date.now());
      return { failure: failureOf(sent.url, answer, retryAfter), again: RETRIED.has(answer.status), retryAfter };
    } catch (error) {
      if (sent.signal?.aborted) throw sent.signal.reason;
      const again = !(error instanceof TimedOut) && (sent.method === "GET" || KEY_HEADER in sent.headers);
      return { failure: this.#unreachable(error), again };
    }
  }

  /** Return a whole answer, its body read; throw whatever the platform's fetch throws, or TimedOut. */
  async #request({ method, url, headers, body, signal, timeout }: Sent): Promise<Answer> {
    if (signal?.aborted) throw signal.reason;
    const controller = new AbortController();
    let timedOut = false;
    const stop = () => controller.abort(signal?.reason);
    const timer = setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, timeout);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const { fetch } = this.#sender;
      const response = await fetch(url, {
        method,
        headers,
        ...(body !== undefined && { body }),
        redirect: "manual", // a key is sent to this address and to no other
        signal: controller.signal,
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      throw timedOut ? new TimedOut() : error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }

  #unreachable(cause: unknown): Unreachable {
    if (cause instanceof TimedOut) return new Unreachable(`${this.baseUrl} did not answer in time.`);
    const reasons = [cause instanceof Error ? cause.cause : undefined, cause];
    const reason = reasons.find((error): error is Error => error instanceof Error && error.message !== "");
    return new Unreachable(`${this.baseUrl} cannot be reached: ${reason?.message ?? "no reason given"}.`, { cause });
  }
}

class TimedOut extends Error {}

function isWanted(status: number): boolean {
  return (status >= 200 && status < 300) || status === NOT_MODIFIED;
}

/** Return the JSON object of an answer. */
function objectOf(url: string, answer: Answer): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(answer.text);
  } catch {
    throw unexpected(url, answer);
  }
  if (typeof document !== "object" || document === null || Array.isArray(document)) throw unexpected(url, answer);
  return document as JsonObject;
}

/** Return the error for an answer that is no success. */
function failureOf(url: string, answer: Answer, retryAfter: number | undefined): ChangewireError {
  let error: JsonObject;
  try {
    error = objectOf(url, answer);
  } catch {
    return unexpected(url, answer);
  }
  const { code, message, hint } = error;
  if (typeof code !== "string" || typeof message !== "string") return unexpected(url, answer);
  const known = Object.hasOwn(ERRORS, code) ? ERRORS[code] : undefined;
  return new (known ?? ApiError)(message, {
    code,
    status: answer.status,
    hint: typeof hint === "string" ? hint : undefined,
    requestId: answer.headers.get("x-request-id") ?? undefined,
    retryAfter,
  });
}

function unexpected(url: string, { status, headers }: Answer): UnexpectedAnswer {
  const where = headers.get("location");
  const said = status === 0 ? "a redirect" : `${status}${where ? ` and points to ${where}` : ""}`;
  return new UnexpectedAnswer(`${url.replace(/\?.*/, "")} answered ${said}, which is not an answer of this API.`, {
    hint: "Check the address of the API.",
  });
}
