// Reads the service with functions from @hey-api/openapi-ts; prints what it saw as JSON.
import { createClient } from "./sdk/client";
import { getDiffs, listEntries, listSources } from "./sdk";
import type { ErrorCode } from "./sdk";

declare const process: { argv: string[] };
const [url, key] = process.argv.slice(2);
const anybody = createClient({ baseUrl: `${url}/api/v1` });
const client = createClient({ baseUrl: `${url}/api/v1`, auth: key });

async function main(): Promise<void> {
  const sample = await listSources({ client: anybody });
  const hint: string | undefined = sample.data && "sample" in sample.data ? sample.data.hint : undefined;
  const page = await listEntries({
    client,
    query: { sources: ["acme.compute", "acme.storage"], limit: 3 },
  });
  const titles: string[] = page.data?.items.map((entry) => entry.title) ?? [];
  const refused = await getDiffs({ client, query: { source: "acme.compute" } });
  const code: ErrorCode | undefined = refused.error?.code;
  console.log(JSON.stringify({ sample: hint !== undefined, total: page.data?.total, titles, code }));
}

void main();
