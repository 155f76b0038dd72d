/** A client of the API, typed by the contract. */
export { type CachedAnswer, type Cache, MemoryCache } from "./cache.js";
export type { CallOptions, PageOptions, SendOptions, Time } from "./calls.js";
export { Client, type ClientOptions, type FollowOptions, type News } from "./client.js";
export * from "./codes.js";
export * from "./errors.js";
export type * from "./operations.js";
export { Pages, type PageShape } from "./pages.js";
export type { RetryPolicy } from "./retry.js";
export type * from "./shapes.js";
