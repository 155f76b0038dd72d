// The calls in a worker, which has no import map: its modules are named by their addresses.
import { read } from "./calls_of_worker.js";

onmessage = async ({ data }) => postMessage(await read(...data));
