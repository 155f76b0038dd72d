/**
 * How often and how long to try; times in milliseconds. Waits double from `firstWait`; what the service
 * asks for counts instead where it is longer. Nothing waits longer than `longestWait`: where the service
 * asks for more, its error is thrown at once.
 */
export interface RetryPolicy {
  /** All attempts, the first one too. */
  attempts: number;
  firstWait: number;
  longestWait: number;
}

export const RETRY: RetryPolicy = { attempts: 4, firstWait: 500, longestWait: 60_000 };

/** What is tried again: the contract's, and those of a proxy whose service restarts. */
export const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Return the wait after `tried` attempts, or undefined to give up. `jitter`: from 0 to 1. */
export function waitAfter(
  policy: RetryPolicy,
  tried: number,
  retryAfter: number | undefined,
  jitter: number,
): number | undefined {
  const asked = retryAfter ?? 0;
  if (tried >= policy.attempts || asked > policy.longestWait) return undefined;
  const own = policy.firstWait * 2 ** Math.min(tried - 1, 20) * (1 + jitter / 4);
  return Math.max(asked, Math.min(own, policy.longestWait));
}

/**
 * Return the Retry-After of an answer in milliseconds (RFC 9110 section 10.2.3). A date counts from the
 * Date of the answer, where the platform shows it, so that the local clock does not matter.
 */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^[0-9]+$/.test(value)) return Math.min(Number(value), 1e8) * 1000;
  const until = Date.parse(value);
  const sent = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(until) ? undefined : Math.max(until - (Number.isNaN(sent) ? now : sent), 0);
}

/** Wait; throw the reason of the signal as soon as it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
