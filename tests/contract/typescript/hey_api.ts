// The calls with the client of @hey-api/openapi-ts.
import { allKey, base, diffsKey, read, since, two } from "./calls.js";
import { createClient } from "./hey/client";
import * as sdk from "./hey";

const of = (key?: string) =>
  createClient({ baseUrl: base, headers: key ? { Authorization: `Bearer ${key}` } : {} });
const [anybody, all, diffs, wrong] = [of(), of(allKey), of(diffsKey), of("cw_wrong")];

function data<T>(answer: { data?: T | undefined; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

void read({
  sample: async () => data(await sdk.listSources({ client: anybody })),
  catalog: async () => {
    const page = data(await sdk.listSources({ client: all, query: { vendor: "acme", limit: 2 } }));
    if ("sample" in page) throw new Error("a sample");
    return page as sdk.SourcePage;
  },
  entries: async () => data(await sdk.listEntries({ client: all, query: { sources: two, limit: 3 } })),
  entriesSince: async () => {
    const page = data(await sdk.listEntries({ client: all, query: { sources: two, since: since.toISOString() } }));
    return { ...page, items: page.items.map((entry) => ({ publishedAt: new Date(entry.published_at) })) };
  },
  latest: async () => data(await sdk.listLatest({ client: anybody, query: { limit: 100 } })),
  important: async () => data(await sdk.listImportant({ client: anybody })),
  diffs: async () => data(await sdk.getDiffs({ client: diffs, query: { source: "acme.compute" } })),
  changes: async (after) =>
    data(await sdk.listChanges({ client: all, query: { sources: two, limit: 50, ...(after && { after }) } })),
  refusals: [
    async () => {
      const { response, error } = await sdk.listLatest({ client: anybody, query: { limit: 101 } });
      return [response?.status ?? 0, error?.code];
    },
    async () => {
      const { response, error } = await sdk.listSources({ client: wrong });
      return [response?.status ?? 0, error?.code];
    },
    async () => {
      const { response, error } = await sdk.getDiffs({ client: all, query: { source: "acme.compute" } });
      return [response?.status ?? 0, error?.code];
    },
    async () => {
      const { response, error } = await sdk.listEntries({ client: all, query: { sources: ["no.such"] } });
      return [response?.status ?? 0, error?.code];
    },
  ],
});
