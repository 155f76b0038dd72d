// Does not compile: the generated types know the parameters of an operation.
import type { operations } from "./schema";

type Query = operations["list_entries"]["parameters"]["query"];

export const misspelled: Query = { sources: ["acme.compute"], sinse: "2026-11-01T00:00:00Z" };
export const mistyped: Query = { sources: ["acme.compute"], limit: "20" };
