// The calls that every generated client makes, and what is printed of them as JSON.
declare const process: { argv: string[] };
export const [url, allKey, diffsKey] = process.argv.slice(2) as [string, string, string];
export const base = `${url}/api/v1`;
export const two = ["acme.compute", "acme.storage"];
export const since = new Date(Date.now() - 16 * 3600 * 1000);

type Page<T> = { total: number; items: Array<T> };
type Entry = { title: string };
type Field = { before: unknown; after: unknown };

export interface Client {
  sample(): Promise<{ sample?: boolean; agent?: string; items: Array<unknown> }>;
  catalog(): Promise<Page<{ changelogUrl: string }>>;
  entries(): Promise<Page<Entry>>;
  entriesSince(): Promise<Page<{ publishedAt: Date }>>;
  latest(): Promise<Page<unknown>>;
  important(): Promise<Page<{ importance: { categories: Iterable<string> } }>>;
  diffs(): Promise<Page<{ changes: Array<{ fields: Array<Field> }> }>>;
  changes(after: string | undefined): Promise<{ next: string; items: Array<unknown> }>;
  refusals: Array<() => Promise<[number, string | undefined]>>;
}

async function follow(client: Client): Promise<number> {
  let seen = 0;
  for (let after: string | undefined; ; ) {
    const page = await client.changes(after);
    if (page.items.length === 0) return seen;
    seen += page.items.length;
    after = page.next;
  }
}

export async function read(client: Client): Promise<void> {
  const sample = await client.sample();
  const catalog = await client.catalog();
  const entries = await client.entries();
  const recent = await client.entriesSince();
  const important = await client.important();
  const diffs = await client.diffs();
  const fields = diffs.items[0]?.changes[0]?.fields ?? [];
  const seen = {
    sample: [sample.sample, sample.agent?.slice(0, 9), sample.items.length],
    catalog: [catalog.total, catalog.items[0]?.changelogUrl],
    entries: [entries.total, ...entries.items.map((entry) => entry.title)],
    since: [recent.total, recent.items.every((entry) => entry.publishedAt > since)],
    latest: (await client.latest()).items.length,
    important: [...(important.items[0]?.importance.categories ?? [])],
    diffs: [diffs.total, fields[0]?.after, fields[1]?.before],
    changes: await follow(client),
    refused: await Promise.all(client.refusals.map((ask) => ask())),
  };
  console.log(JSON.stringify(seen));
}
