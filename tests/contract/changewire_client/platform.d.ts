// What programs of the manual use of Node.js, whose types are not installed here.
declare const process: { env: Record<string, string | undefined> };
declare module "node:fs/promises" {
  export function readFile(path: string, encoding: "utf8"): Promise<string>;
  export function writeFile(path: string, text: string): Promise<void>;
}
