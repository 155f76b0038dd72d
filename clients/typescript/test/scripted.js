// A server on loopback that answers by a script, one answer after the other, the last one again.
import { createServer } from "node:http";

import { Client } from "@changewire/client";

export const page = (items, more = {}) => ({ total: items.length, limit: 100, offset: 0, items, ...more });
export const entry = (source, id, published_at = "2026-11-20T00:00:00Z") => ({
  ...{ id, source, vendor: source.split(".")[0], published_at, title: id, tags: [] },
});
export const refusal = (code) => ({ error: "No", code, message: "It is refused.", hint: "Ask otherwise." });

/**
 * Serve answers `[status, body, headers]`; a function gets the request, and "cut" or "hang" hangs up in
 * the middle of an answer or never answers. Gives the address and the requests that came.
 */
export async function scripted(context, ...answers) {
  const requests = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const asked = { method: request.method, url: new URL(request.url, "http://x"), headers: request.headers, body };
    requests.push(asked);
    const answer = answers[Math.min(requests.length, answers.length) - 1];
    const [status, document, headers] = typeof answer === "function" ? answer(asked) : answer;
    if (status === "hang") return;
    if (status === "cut") {
      response.writeHead(200, { "Content-Length": 1000, "Content-Type": "application/json" });
      response.write('{"total"');
      setTimeout(() => response.destroy(), 20);
      return;
    }
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(document === undefined ? "" : typeof document === "string" ? document : JSON.stringify(document));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, requests };
}

/** A client that waits a millisecond where others wait half a second. */
export const client = (url, options) =>
  new Client(url, { apiKey: "cw_test", retry: { firstWait: 1 }, random: () => 0, ...options });
