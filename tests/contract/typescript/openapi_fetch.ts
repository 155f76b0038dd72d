// The calls with types of openapi-typescript, asked through openapi-fetch at its defaults.
import createClient from "openapi-fetch";
import { allKey, base, diffsKey, read, since, two } from "./calls.js";
import type { paths } from "./schema";

const of = (key?: string) =>
  createClient<paths>({ baseUrl: base, headers: key ? { Authorization: `Bearer ${key}` } : {} });
const [anybody, all, diffs, wrong] = [of(), of(allKey), of(diffsKey), of("cw_wrong")];

function data<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

void read({
  sample: async () => data(await anybody.GET("/sources")),
  catalog: async () => {
    const page = data(await all.GET("/sources", { params: { query: { vendor: "acme", limit: 2 } } }));
    if ("sample" in page) throw new Error("a sample");
    return page;
  },
  entries: async () => data(await all.GET("/entries", { params: { query: { sources: two, limit: 3 } } })),
  entriesSince: async () => {
    const query = { sources: two, since: since.toISOString() };
    const page = data(await all.GET("/entries", { params: { query } }));
    return { ...page, items: page.items.map((entry) => ({ publishedAt: new Date(entry.published_at) })) };
  },
  latest: async () => data(await anybody.GET("/latest", { params: { query: { limit: 100 } } })),
  important: async () => data(await anybody.GET("/important")),
  diffs: async () => data(await diffs.GET("/diffs", { params: { query: { source: "acme.compute" } } })),
  changes: async (after) =>
    data(await all.GET("/changes", { params: { query: { sources: two, limit: 50, ...(after && { after }) } } })),
  refusals: [
    async () => {
      const { response, error } = await anybody.GET("/latest", { params: { query: { limit: 101 } } });
      return [response.status, error?.code];
    },
    async () => {
      const { response, error } = await wrong.GET("/sources");
      return [response.status, error?.code];
    },
    async () => {
      const { response, error } = await all.GET("/diffs", { params: { query: { source: "acme.compute" } } });
      return [response.status, error?.code];
    },
    async () => {
      const { response, error } = await all.GET("/entries", { params: { query: { sources: ["no.such"] } } });
      return [response.status, error?.code];
    },
  ],
});
