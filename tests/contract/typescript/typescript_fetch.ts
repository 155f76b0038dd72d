// The calls with the client of OpenAPI Generator's typescript-fetch.
import { allKey, base, diffsKey, read, since, two } from "./calls.js";
import * as api from "./tsf";

const of = (key?: string) => new api.Configuration({ basePath: base, ...(key && { accessToken: key }) });
const [anybody, all, diffs, wrong] = [of(), of(allKey), of(diffsKey), of("cw_wrong")];

async function refusal(ask: Promise<unknown>): Promise<[number, string | undefined]> {
  try {
    await ask;
  } catch (error) {
    if (!(error instanceof api.ResponseError)) throw error;
    return [error.response.status, api.ModelErrorFromJSON(await error.response.json()).code];
  }
  return [200, undefined];
}

void read({
  sample: async () => new api.SourcesApi(anybody).listSources(),
  catalog: async () =>
    (await new api.SourcesApi(all).listSources({ vendor: "acme", limit: 2 })) as api.SourcePage,
  entries: () => new api.EntriesApi(all).listEntries({ sources: two, limit: 3 }),
  entriesSince: () => new api.EntriesApi(all).listEntries({ sources: two, since }),
  latest: () => new api.FeedsApi(anybody).listLatest({ limit: 100 }),
  important: () => new api.FeedsApi(anybody).listImportant(),
  diffs: () => new api.DiffsApi(diffs).getDiffs({ source: "acme.compute" }),
  changes: (after) => new api.AdditionsApi(all).listChanges({ sources: two, limit: 50, ...(after && { after }) }),
  refusals: [
    () => refusal(new api.FeedsApi(anybody).listLatest({ limit: 101 })),
    () => refusal(new api.SourcesApi(wrong).listSources()),
    () => refusal(new api.DiffsApi(all).getDiffs({ source: "acme.compute" })),
    () => refusal(new api.EntriesApi(all).listEntries({ sources: ["no.such"] })),
  ],
});
