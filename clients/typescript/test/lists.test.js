// Lists, long lists of sources, and following.
import assert from "node:assert/strict";
import { test } from "node:test";

import * as changewire from "@changewire/client";

import { client, entry, page, scripted } from "./scripted.js";

const pad = (number) => String(number).padStart(4, "0");

/** Serve a list of entries by source, the newest first, as /entries does. */
function serving(entries) {
  return ({ url }) => {
    const asked = url.searchParams;
    const sources = asked.get("sources").split(",");
    if (sources.length > 100) return [400, { code: "invalid_request", message: "Too many." }];
    const offset = Number(asked.get("offset"));
    const all = entries
      .filter(({ source }) => sources.includes(source))
      .sort((one, other) => (one.published_at < other.published_at ? 1 : -1));
    const items = all.slice(offset, offset + Number(asked.get("limit")));
    return [200, { total: all.length, limit: 100, offset, plan: "all", items }];
  };
}

/** Entries of 250 sources at times that a seed chooses. */
function manyEntries(count, seed) {
  let state = seed;
  const random = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  return Array.from({ length: count }, (_, number) => {
    const minute = pad(number * 7 + random(7)); // no two at a time
    const moment = new Date(Date.UTC(2026, 0, 1, 0, Number(minute))).toISOString();
    return entry(`v.s${random(250)}`, `e${number}`, moment.replace(".000Z", random(2) ? "Z" : ".500Z"));
  });
}

test("a list is read to its end, each item once though newer ones come", async (context) => {
  const pages = [
    page(Array.from({ length: 100 }, (_, n) => entry("a.b", `${n}`)), { total: 103 }),
    page(["99", "100", "101", "102"].map((id) => entry("a.b", id)), { total: 104 }),
  ];
  const { url, requests } = await scripted(context, [200, pages[0]], [200, pages[1]]);
  const ids = (await client(url).latest().all()).map(({ id }) => id);
  assert.deepEqual(ids, Array.from({ length: 103 }, (_, n) => `${n}`));
  assert.equal(requests[1].url.searchParams.get("offset"), "100");
});

test("a list ends at its limit and asks for no more than that", async (context) => {
  const { url, requests } = await scripted(context, [200, page([entry("a.b", "1"), entry("a.b", "2")], { total: 9 })]);
  assert.equal((await client(url).latest({ limit: 2 }).all()).length, 2);
  assert.deepEqual(requests.map((request) => request.url.search), ["?limit=2&offset=0"]);
});

for (const span of [{ limit: 0 }, { offset: -1 }, { limit: NaN }]) {
  test(`${JSON.stringify(span)} is refused before anything is sent`, () => {
    assert.throws(() => client("https://x.example").latest(span), changewire.InvalidCall);
  });
}

for (const seed of [1, 2, 3]) {
  test(`250 sources are asked for a hundred at a time and give one list, the newest first (${seed})`, async (context) => {
    const entries = manyEntries(700, seed);
    const { url, requests } = await scripted(context, serving(entries));
    const sources = [...new Set(entries.map(({ source }) => source))];
    const moment = ({ published_at }) => Date.parse(published_at);
    const wanted = [...entries].sort((one, other) => moment(other) - moment(one)).map(({ id }) => id);
    const list = client(url).entries(new Set([...sources, ...sources]));

    assert.deepEqual((await list.all()).map(({ id }) => id), wanted);
    assert.equal((await list.first()).total, 700);
    const some = await client(url).entries(sources, { limit: 120, offset: 30 }).all();
    assert.deepEqual(some.map(({ id }) => id), wanted.slice(30, 150));
    assert.ok(requests.every(({ url }) => url.searchParams.get("sources").split(",").length <= 100));
  });
}

test("6,244 sources without an entry give one empty page", async (context) => {
  const { url, requests } = await scripted(context, serving([]));
  const sources = Array.from({ length: 6244 }, (_, n) => `v.s${n}`);
  assert.deepEqual((await client(url).entries(sources).first()).items, []);
  assert.equal(requests.length, 63);
});

const change = (id, source = "a.b", kind = "new") => ({ change: kind, entry: entry(source, id) });
const news = (items, next, more) => [200, { items, next, more }];

test("following goes from cursor to cursor until there is no more", async (context) => {
  const { url, requests } = await scripted(
    context,
    news([change("1"), change("2", "a.b", "removed")], "c1", true),
    news([change("3")], "c2", false),
  );
  const pages = [];
  for await (const page of client(url).follow({ sources: ["a.b"], cursor: "c0" })) pages.push(page);

  assert.deepEqual(pages.map(({ cursor }) => cursor), ["c1", "c2"]);
  assert.deepEqual(pages.map(({ changes }) => changes.length), [2, 1]);
  assert.deepEqual(pages.map(({ entries }) => entries.map(({ id }) => id)), [["1"], ["3"]]);
  assert.deepEqual(requests.map(({ url }) => url.searchParams.get("after")), ["c0", "c1"]);
  assert.deepEqual(requests.map(({ url }) => url.searchParams.get("wait")), [null, null]);
});

test("following more sources than a request names chooses among the changes of all", async (context) => {
  const { url, requests } = await scripted(context, news([change("1", "v.s1"), change("2", "w.x")], "c1", false));
  const sources = Array.from({ length: 101 }, (_, n) => `v.s${n}`);
  const { value } = await client(url).follow({ sources }).next();
  assert.deepEqual(value.entries.map(({ id }) => id), ["1"]);
  assert.equal(requests[0].url.searchParams.get("sources"), null);
});

test("a cursor that does not move ends it, and an answer without one is none of this API", async (context) => {
  const still = await scripted(context, news([], "c0", true));
  const pages = [];
  for await (const page of client(still.url).follow({ cursor: "c0" })) pages.push(page);
  assert.equal(pages.length, 1);

  const other = await scripted(context, [200, page([])]);
  await assert.rejects(client(other.url).follow().next(), changewire.UnexpectedAnswer);
});

test("a live tail waits in its requests and ends when its signal says so", async (context) => {
  const { url, requests } = await scripted(context, news([change("1")], "c1", false), news([change("2")], "c2", false), ["hang"]);
  const controller = new AbortController();
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const page of client(url).follow({ live: true, signal: controller.signal })) {
        seen.push(...page.entries.map(({ id }) => id));
        if (seen.length === 2) setTimeout(() => controller.abort(), 50);
      }
    },
    { name: "AbortError" },
  );
  assert.deepEqual(seen, ["1", "2"]);
  assert.deepEqual(requests.map(({ url }) => url.searchParams.get("wait")), ["25", "25", "25"]);
});

test("an empty answer that came at once is not asked for again at once", async (context) => {
  const { url } = await scripted(context, news([], "c1", false), news([change("1")], "c2", false));
  const began = Date.now();
  for await (const page of client(url).follow({ live: true })) if (page.entries.length) break;
  assert.ok(Date.now() - began >= 990);
});

test("a source is found by its slug, and one that is not there is an error of ours", async (context) => {
  const { url, requests } = await scripted(context, [200, page([{ slug: "a.b" }, { slug: "a.b.c" }])]);
  assert.equal((await client(url).source("a.b.c")).slug, "a.b.c");
  assert.equal(requests[0].url.searchParams.get("vendor"), "a");
  await assert.rejects(client(url).source("a.d"), changewire.UnknownSource);
  await assert.rejects(client(url).source("nothing"), changewire.UnknownSource);
  assert.equal(requests.length, 2);
});

test("the plan is that of the first selected source, or nobody's", async (context) => {
  const selected = [200, page([{ slug: "a.b" }])];
  const { url } = await scripted(context, selected, [200, page([], { plan: "starter" })], [200, page([])]);
  assert.equal(await client(url).plan(), "starter");
  assert.equal(await client(url).plan(), undefined);
});

test("the sample is for clients without a key", async (context) => {
  const { url } = await scripted(context, [200, page([], { sample: true })]);
  assert.equal((await client(url, { apiKey: undefined }).sample()).sample, true);
  await assert.rejects(client(url).sample(), changewire.InvalidCall);
});
