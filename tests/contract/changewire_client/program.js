// The calls in Node.js and Deno: `program.js read URL KEY KEY`, `program.js follow URL KEY [CURSOR]`.
import process from "node:process";

import { follow, read } from "./calls.js";

const [what, url, key, last] = process.argv.slice(2);
const say = (value) => console.log(JSON.stringify(value));
if (what === "read") say(await read(url, key, last));
else await follow(url, key, last, async (ids, cursor) => say([ids, cursor]));
