// The calls with the fetch client of orval, whose addresses begin at the API's base path.
import * as api from "./orval/client";
import { allKey, base, diffsKey, read, since, two } from "./calls.js";

const fetched = globalThis.fetch;
globalThis.fetch = (path, options) => fetched(`${base}${String(path)}`, options);

const of = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
const [all, diffs, wrong] = [of(allKey), of(diffsKey), of("cw_wrong")];

function data<T extends { status: number; data: unknown }>(answer: T): Extract<T, { status: 200 }>["data"] {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.data));
  return answer.data;
}

async function refusal(ask: Promise<{ status: number; data: unknown }>): Promise<[number, string | undefined]> {
  const { status, data } = await ask;
  return [status, (data as api.Error).code];
}

void read({
  sample: async () => data(await api.listSources()) as api.SampleSourcePage,
  catalog: async () => data(await api.listSources({ vendor: "acme", limit: 2 }, all)) as api.SourcePage,
  entries: async () => data(await api.listEntries({ sources: two, limit: 3 }, all)),
  entriesSince: async () => {
    const page = data(await api.listEntries({ sources: two, since: since.toISOString() }, all));
    return { ...page, items: page.items.map((entry) => ({ publishedAt: new Date(entry.published_at) })) };
  },
  latest: async () => data(await api.listLatest({ limit: 100 })),
  important: async () => data(await api.listImportant()),
  diffs: async () => data(await api.getDiffs({ source: "acme.compute" }, diffs)),
  changes: async (after) => data(await api.listChanges({ sources: two, limit: 50, ...(after && { after }) }, all)),
  refusals: [
    () => refusal(api.listLatest({ limit: 101 })),
    () => refusal(api.listSources(undefined, wrong)),
    () => refusal(api.getDiffs({ source: "acme.compute" }, all)),
    () => refusal(api.listEntries({ sources: ["no.such"] }, all)),
  ],
});
