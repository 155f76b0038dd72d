// Reads the service with types from openapi-typescript; prints what it saw as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

type Code = components["schemas"]["ErrorCode"];

declare const process: { argv: string[] };
const [url, key] = process.argv.slice(2);
// Types alone do not say how a list is written: openapi-fetch has to be told (explode: false).
const querySerializer = { array: { style: "form", explode: false } } as const;
const anybody = createClient<paths>({ baseUrl: `${url}/api/v1` });
const client = createClient<paths>({
  baseUrl: `${url}/api/v1`,
  querySerializer,
  headers: { Authorization: `Bearer ${key}` },
});

async function main(): Promise<void> {
  const sample = await anybody.GET("/sources");
  const hint: string | undefined = sample.data && "sample" in sample.data ? sample.data.hint : undefined;
  const page = await client.GET("/entries", {
    params: { query: { sources: ["acme.compute", "acme.storage"], limit: 3 } },
  });
  const titles: string[] = page.data?.items.map((entry) => entry.title) ?? [];
  const refused = await client.GET("/diffs", { params: { query: { source: "acme.compute" } } });
  const code: Code | undefined = refused.error?.code;
  console.log(JSON.stringify({ sample: hint !== undefined, total: page.data?.total, titles, code }));
}

void main();
