// One request: its address, its retries, its ETag, its errors.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as changewire from "@changewire/client";

import { client, entry, page, refusal, scripted } from "./scripted.js";

const EMPTY = page([]);

for (const [given, base] of [
  ["https://changewire.example", "https://changewire.example/api/v1"],
  ["https://changewire.example/", "https://changewire.example/api/v1"],
  ["https://changewire.example/api/v1/", "https://changewire.example/api/v1"],
  ["https://changewire.example/inner/api/v2", "https://changewire.example/inner/api/v2"],
]) {
  test(`the API of ${given} is at ${base}`, () => {
    assert.equal(new changewire.Client(given).baseUrl, base);
  });
}

for (const address of ["changewire", "ftp://changewire.example", "https://a:b@changewire.example", ""]) {
  test(`the address "${address}" is refused before anything is sent`, () => {
    assert.throws(() => new changewire.Client(address), changewire.InvalidCall);
  });
}

for (const apiKey of ["", "cw_\n", "cw test", "cw_ä"]) {
  test(`the key ${JSON.stringify(apiKey)} is refused before anything is sent`, () => {
    assert.throws(() => new changewire.Client("https://x.example", { apiKey }), changewire.InvalidCall);
  });
}

test("parameters are written as the contract has them, and what is not given is left out", async (context) => {
  const { url, requests } = await scripted(context, [200, EMPTY]);
  const since = new Date("2026-11-20T10:00:00.250Z");
  await assert.rejects(client(url).latest({ since: new Date("never") }).first(), changewire.InvalidCall);
  await client(url).entries(["a.b", "a.c"], { since, category: ["breaking"], q: "é &", limit: 7 }).first();
  await client(url).sources({ selected: true, vendor: undefined }).first();
  await client(url).latest({ future: false }).first();

  assert.deepEqual(Object.fromEntries(requests[0].url.searchParams), {
    ...{ sources: "a.b,a.c", since: "2026-11-20T10:00:00.250Z", category: "breaking", q: "é &" },
    ...{ limit: "7", offset: "0" },
  });
  assert.equal(requests[0].headers.authorization, "Bearer cw_test");
  assert.equal(requests[1].url.search, "?selected=1&limit=100&offset=0");
  assert.equal(requests[2].url.search, "?limit=100&offset=0");
});

test("what needs a key is not asked for without one", async (context) => {
  const { url, requests } = await scripted(context, [200, EMPTY]);
  const nobody = client(url, { apiKey: undefined });

  assert.throws(() => nobody.sources(), changewire.KeyMissing);
  assert.throws(() => nobody.entries(["a.b"]), changewire.KeyMissing);
  await assert.rejects(nobody.diffs("a.b"), changewire.KeyMissing);
  await assert.rejects(nobody.follow().next(), changewire.KeyMissing);
  assert.equal(requests.length, 0);
  await nobody.latest().first();
  assert.equal(requests[0].headers.authorization, undefined);
});

for (const status of [429, 502, 503, 504]) {
  test(`after ${status} the request is sent again`, async (context) => {
    const { url, requests } = await scripted(context, [status, refusal("unavailable")], [200, EMPTY]);
    assert.deepEqual(await client(url).latest().first(), EMPTY);
    assert.equal(requests.length, 2);
  });
}

test("attempts are bounded, and the last refusal is thrown", async (context) => {
  const { url, requests } = await scripted(context, [503, refusal("unavailable")]);
  await assert.rejects(client(url).latest().first(), changewire.Unavailable);
  assert.equal(requests.length, 4);
});

test("Retry-After is waited for", async (context) => {
  const { url } = await scripted(context, [429, refusal("rate_limited"), { "Retry-After": "1" }], [200, EMPTY]);
  const began = Date.now();
  await client(url).latest().first();
  assert.ok(Date.now() - began >= 990);
});

test("a Retry-After that is a date counts from the Date of the answer", async (context) => {
  const headers = { Date: "Tue, 24 Nov 2026 10:00:00 GMT", "Retry-After": "Tue, 24 Nov 2026 10:30:00 GMT" };
  const { url } = await scripted(context, [429, refusal("rate_limited"), headers]);
  await assert.rejects(client(url).latest().first(), { name: "RateLimited", retryAfter: 1_800_000 });
});

test("a wait that is too long is thrown at once and says how long", async (context) => {
  const { url, requests } = await scripted(context, [429, refusal("rate_limited"), { "Retry-After": "61" }]);
  await assert.rejects(client(url).latest().first(), (error) => {
    assert.ok(error instanceof changewire.RateLimited && error instanceof changewire.ApiError);
    assert.equal(error.retryAfter, 61_000);
    return true;
  });
  assert.equal(requests.length, 1);
});

test("an answer that is cut off is asked for again", async (context) => {
  const { url, requests } = await scripted(context, ["cut"], ["cut"], [200, EMPTY]);
  assert.deepEqual(await client(url).latest().first(), EMPTY);
  assert.equal(requests.length, 3);
});

test("what is sent once is not sent again after its connection was lost", async (context) => {
  const { url, requests } = await scripted(context, ["cut"], [201, {}]);
  await assert.rejects(client(url).requestSource({ url: "https://a.example/" }), changewire.Unreachable);
  assert.equal(requests.length, 1);
});

test("what has an idempotency key is sent again under the same one", async (context) => {
  const { url, requests } = await scripted(context, ["cut"], [201, {}]);
  await client(url).createWebhook({ name: "a", url: "https://a.example/" });
  const [first, second] = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.ok(first.length >= 16);
  assert.equal(second, first);
  assert.deepEqual(JSON.parse(requests[1].body), { name: "a", url: "https://a.example/" });
});

test("nobody there is an error of ours with the platform's as its cause", async () => {
  await assert.rejects(client("http://127.0.0.1:9").latest().first(), (error) => {
    assert.ok(error instanceof changewire.Unreachable && error instanceof changewire.ChangewireError);
    assert.match(error.message, /127\.0\.0\.1:9\/api\/v1 cannot be reached/);
    assert.ok(error.cause instanceof Error);
    return true;
  });
});

test("an answer that does not come in time is an error of ours, once", async (context) => {
  const { url, requests } = await scripted(context, ["hang"]);
  await assert.rejects(client(url, { timeout: 100 }).latest().first(), /did not answer in time/);
  assert.equal(requests.length, 1);
});

for (const [name, status, body, headers] of [
  ["a proxy's page", 200, "<html>", {}],
  ["a list", 200, "[]", {}],
  ["a proxy's error", 404, "<html>", {}],
  ["an error of another API", 400, '{"code": 1}', {}],
  ["a redirect", 302, "", { Location: "https://elsewhere.example/" }],
]) {
  test(`${name} is no answer of this API`, async (context) => {
    const { url, requests } = await scripted(context, [status, body, headers]);
    await assert.rejects(client(url).latest().first(), changewire.UnexpectedAnswer);
    assert.equal(requests.length, 1);
  });
}

test("every code of the contract has a class; another code is an ApiError", async (context) => {
  const codes = Object.keys(changewire.ERRORS);
  const answers = [...codes, "toString", "of_tomorrow"].map((code) => [400, refusal(code), { "X-Request-Id": "r1" }]);
  const { url } = await scripted(context, ...answers);
  for (const code of codes) {
    await assert.rejects(client(url).latest().first(), (error) => {
      assert.equal(error.constructor, changewire.ERRORS[code]);
      assert.equal(error.name.toLowerCase(), code.replaceAll("_", ""));
      assert.deepEqual([error.code, error.status, error.requestId], [code, 400, "r1"]);
      assert.deepEqual([error.message, error.hint], ["It is refused.", "Ask otherwise."]);
      return true;
    });
  }
  for (const code of ["toString", "of_tomorrow"]) {
    await assert.rejects(client(url).latest().first(), { name: "ApiError", code });
  }
});

test("an ETag is sent back, and a 304 gives what was stored", async (context) => {
  const items = [entry("a.b", "1")];
  const { url, requests } = await scripted(context, [200, page(items), { ETag: '"1"' }], [304]);
  const one = client(url);
  await one.latest().first();
  assert.deepEqual((await one.latest().first()).items, items);
  assert.equal(requests[1].headers["if-none-match"], '"1"');
});

test("a cache is asked by names that hold no key, and serves one key only", async (context) => {
  const { url, requests } = await scripted(context, [200, EMPTY, { ETag: '"1"' }]);
  const stored = new Map();
  const cache = { find: async (name) => stored.get(name), save: async (name, answer) => void stored.set(name, answer) };
  await client(url, { cache }).latest().first();
  await client(url, { cache }).latest().first();
  await client(url, { cache, apiKey: "cw_other" }).latest().first();

  const [first, second, other] = requests.map(({ headers }) => headers["if-none-match"]);
  assert.deepEqual([first, other], [undefined, undefined]);
  assert.equal(second, globalThis.crypto ? '"1"' : undefined);
  assert.ok(![...stored.keys()].some((name) => name.includes("cw_")));
});

test("a cache that fails loses no answer", async (context) => {
  const { url } = await scripted(context, [200, EMPTY, { ETag: '"1"' }]);
  const fails = () => {
    throw new Error("full");
  };
  assert.deepEqual(await client(url, { cache: { find: fails, save: fails } }).latest().first(), EMPTY);
});

test("what must not be stored is not", async (context) => {
  const { url, requests } = await scripted(context, [200, EMPTY, { ETag: '"1"', "Cache-Control": "no-store" }]);
  const one = client(url);
  await one.latest().first();
  await one.latest().first();
  assert.equal(requests[1].headers["if-none-match"], undefined);
});

test("the cache in memory keeps what was used last", () => {
  const cache = new changewire.MemoryCache(2);
  for (const name of ["a", "b"]) cache.save(name, { etag: name, body: name });
  cache.find("a");
  cache.save("c", { etag: "c", body: "c" });
  assert.deepEqual(["a", "b", "c"].map((name) => cache.find(name)?.etag), ["a", undefined, "c"]);
});

for (const [name, answers] of [
  ["while it waits for an answer", [["hang"]]],
  ["while it waits to try again", [[503, refusal("unavailable"), { "Retry-After": "30" }]]],
]) {
  test(`an aborted call ends ${name}, with the reason of its signal`, async (context) => {
    const { url } = await scripted(context, ...answers);
    const controller = new AbortController();
    const reason = new Error("enough");
    setTimeout(() => controller.abort(reason), 100);
    const began = Date.now();
    await assert.rejects(client(url).latest({ signal: controller.signal }).first(), (error) => error === reason);
    assert.ok(Date.now() - began < 5_000);
  });
}

test("a signal that is aborted already sends nothing", async (context) => {
  const { url, requests } = await scripted(context, [200, EMPTY]);
  await assert.rejects(client(url).latest({ signal: AbortSignal.abort() }).first(), { name: "AbortError" });
  assert.equal(requests.length, 0);
});
