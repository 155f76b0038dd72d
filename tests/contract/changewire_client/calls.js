// The calls that every client makes, and the changes that it follows: in Node.js, Deno, a page, a worker.
import { ApiError, Client } from "@changewire/client";

const two = ["acme.compute", "acme.storage"];
const patient = { attempts: 400, firstWait: 20, longestWait: 2_000 };

/** Make the calls; return what is seen. */
export async function read(url, allKey, diffsKey) {
  const [anybody, all, diffs, wrong] = [undefined, allKey, diffsKey, "cw_wrong"].map(
    (apiKey) => new Client(url, { apiKey }),
  );
  const since = new Date(Date.now() - 16 * 3600 * 1000);
  const sample = await anybody.sample();
  const catalog = await all.sources({ vendor: "acme", limit: 2 }).first();
  const entries = await all.entries(two, { limit: 3 }).first();
  const recent = await all.entries(two, { since }).all();
  const important = await anybody.important({ limit: 1 }).all();
  const found = await diffs.diffs("acme.compute");
  const { fields } = found.items[0].changes[0];
  let changes = 0;
  for await (const news of all.follow({ sources: two, limit: 50 })) changes += news.changes.length;
  const again = await all.entries(two, { limit: 3 }).first(); // out of the cache, after a 304
  return {
    sample: [sample.sample, sample.agent.slice(0, 9), sample.items.length],
    catalog: [catalog.total, catalog.items[0].changelogUrl],
    entries: [entries.total, ...again.items.map(({ title }) => title)],
    since: [recent.length, recent.every(({ published_at }) => new Date(published_at) > since)],
    latest: (await anybody.latest({ limit: 100 }).all()).length,
    important: important[0].importance.categories,
    diffs: [found.total, fields[0].after, fields[1].before],
    changes,
    refused: await Promise.all([
      refusal(() => anybody.latest({ sinse: since }).first()),
      refusal(() => wrong.sources().first()),
      refusal(() => all.diffs("acme.compute")),
      refusal(() => all.entries(["no.such"]).first()),
    ]),
  };
}

async function refusal(ask) {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.status, error.code];
  }
}

/** Follow two sources from a cursor to the end, and report each page: its entries and the next cursor. */
export async function follow(url, apiKey, cursor, report) {
  const client = new Client(url, { apiKey, retry: patient });
  for await (const { entries, cursor: next } of client.follow({ sources: two, limit: 9, cursor })) {
    await report(entries.map(({ id }) => id), next);
  }
}
