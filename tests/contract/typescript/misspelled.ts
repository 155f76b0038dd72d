// Does not compile: the generated types know the parameters of an operation.
import type { operations } from "./schema";
import { listLatest } from "./sdk";

type Query = operations["list_entries"]["parameters"]["query"];

export const query: Query = { sources: ["acme.compute"], sinse: "2026-11-01T00:00:00Z" };
void listLatest({ query: { limit: "20" } });
