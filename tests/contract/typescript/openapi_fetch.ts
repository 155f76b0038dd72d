// Reads the service with types of openapi-typescript through openapi-fetch, and prints it as JSON.
import createClient from "openapi-fetch";
import type { paths } from "./schema";

declare const process: { argv: string[] };
const [url, allKey, diffsKey] = process.argv.slice(2) as [string, string, string];
const two = ["acme.compute", "acme.storage"];
const since = new Date(Date.now() - 16 * 3600 * 1000);

const of = (key?: string) =>
  createClient<paths>({ baseUrl: `${url}/api/v1`, headers: key ? { Authorization: `Bearer ${key}` } : {} });
const [anybody, all, diffs, wrong] = [of(), of(allKey), of(diffsKey), of("cw_wrong")];

async function data<T>(asked: Promise<{ data?: T; error?: unknown }>): Promise<T> {
  const answer = await asked;
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

async function refusal(asked: Promise<{ response: Response; error?: { code: string } }>) {
  const { response, error } = await asked;
  return [response.status, error?.code];
}

async function follow(): Promise<number> {
  let seen = 0;
  for (let after: string | undefined; ; ) {
    const query = { sources: two, limit: 50, ...(after && { after }) };
    const page = await data(all.GET("/changes", { params: { query } }));
    if (page.items.length === 0) return seen;
    seen += page.items.length;
    after = page.next;
  }
}

async function main(): Promise<void> {
  const sample = await data(anybody.GET("/sources"));
  const catalog = await data(all.GET("/sources", { params: { query: { vendor: "acme", limit: 2 } } }));
  if (!("sample" in sample) || "sample" in catalog) throw new Error("not told apart");
  const entries = await data(all.GET("/entries", { params: { query: { sources: two, limit: 3 } } }));
  const later = { sources: two, since: since.toISOString() };
  const recent = await data(all.GET("/entries", { params: { query: later } }));
  const latest = await data(anybody.GET("/latest", { params: { query: { limit: 100 } } }));
  const important = await data(anybody.GET("/important"));
  const changed = await data(diffs.GET("/diffs", { params: { query: { source: "acme.compute" } } }));
  const fields = changed.items[0]?.changes[0]?.fields ?? [];
  console.log(JSON.stringify({
    sample: [sample.sample, sample.agent.slice(0, 9), sample.items.length],
    catalog: [catalog.total, catalog.items[0]?.changelogUrl],
    entries: [entries.total, ...entries.items.map((entry) => entry.title)],
    since: [recent.total, recent.items.every((entry) => new Date(entry.published_at) > since)],
    latest: latest.items.length,
    important: important.items[0]?.importance.categories,
    diffs: [changed.total, fields[0]?.after, fields[1]?.before],
    changes: await follow(),
    refused: [
      await refusal(anybody.GET("/latest", { params: { query: { limit: 101 } } })),
      await refusal(wrong.GET("/sources")),
      await refusal(all.GET("/diffs", { params: { query: { source: "acme.compute" } } })),
      await refusal(all.GET("/entries", { params: { query: { sources: ["no.such"] } } })),
    ],
  }));
}

void main();
