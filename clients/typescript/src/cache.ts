/** A body and its ETag. */
export interface CachedAnswer {
  etag: string;
  body: string;
}

/**
 * Stores answers by name, for example in a file, in IndexedDB or in a worker's key-value store. It may
 * drop any of them: the client asks again. What it throws loses no answer.
 */
export interface Cache {
  find(name: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  save(name: string, answer: CachedAnswer): void | Promise<void>;
}

/** The default: the most recently used answers, in memory. */
export class MemoryCache implements Cache {
  readonly #answers = new Map<string, CachedAnswer>();
  readonly #most: number;

  constructor(most = 256) {
    this.#most = most;
  }

  find(name: string): CachedAnswer | undefined {
    const answer = this.#answers.get(name);
    if (answer !== undefined) this.save(name, answer);
    return answer;
  }

  save(name: string, answer: CachedAnswer): void {
    this.#answers.delete(name); // a Map keeps the order in which names came
    this.#answers.set(name, answer);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= this.#most) break;
      this.#answers.delete(oldest);
    }
  }
}

/**
 * Return what names of answers to this key begin with: a digest, so that no key gets the answers of
 * another and none is stored. Without Web Crypto (Node.js 18, pages over plain http) it is a number
 * of chance: a stored answer then serves the client that stored it, and no other.
 */
export async function prefixOf(apiKey: string | undefined): Promise<string> {
  const subtle = globalThis.crypto?.subtle;
  if (apiKey === undefined) return "public";
  if (subtle === undefined) return `${Math.random()}${Math.random()}`;
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(apiKey)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
