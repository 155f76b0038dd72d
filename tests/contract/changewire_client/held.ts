// The types of the client, held against those of openapi-typescript; and the calls that have to compile.
import { Client, type ErrorCode, type Kind, RateLimited, type News } from "@changewire/client";

export type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false;
export function same<_Yes extends true>(): void {}

export async function calls(client: Client, stored: string | undefined): Promise<string | undefined> {
  for await (const entry of client.entries(["acme.compute"], { since: new Date(), category: ["breaking"] })) {
    console.log(entry.published_at.slice(0, 10), entry.url ?? "");
  }
  const page = await client.important({ limit: 5 }).first();
  console.log(page.items[0]?.importance.deadlines?.[0]?.from);
  let news: News | undefined;
  for await (news of client.follow({ cursor: stored, live: true, signal: new AbortController().signal })) break;
  const code: ErrorCode = "rate_limited";
  const kind: Kind = "of tomorrow";
  try {
    await client.createWebhook({ name: code, url: kind, format: "slack" }, { idempotencyKey: "1" });
  } catch (error) {
    if (error instanceof RateLimited) console.log(error.retryAfter?.toFixed());
  }
  return news?.cursor;
}

export function misspelled(client: Client): void {
  // @ts-expect-error the contract has `since`
  void client.latest({ sinse: new Date() });
  // @ts-expect-error a list that does not grow
  void client.sources({ adapterType: "carrier_pigeon" });
  // @ts-expect-error an address is required
  void client.createWebhook({ name: "without an address" });
  // @ts-expect-error a limit is a number
  void client.latest({ limit: "5" });
}
