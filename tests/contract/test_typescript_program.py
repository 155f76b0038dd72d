"""The program in TypeScript of docs/client.md reads every page of the running service."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from specimen.rows import SLUGS

from client import Client

CHECKOUT = Path(__file__).parents[2]
PROGRAM = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = {
    "strict": True, "skipLibCheck": True, "target": "es2022", "module": "nodenext",
    "lib": ["es2022", "dom", "dom.iterable"], "types": [],
}  # fmt: skip
MAIN = """
import { entries } from "./entries.js";
declare const process: { argv: string[] };
const [url, key, sources] = process.argv.slice(2) as [string, string, string];

async function main(): Promise<void> {
  const ids: string[] = [];
  for await (const entry of entries(url, key, sources.split(","))) ids.push(entry.id);
  console.log(JSON.stringify(ids));
}

void main();
"""


@pytest.fixture(scope="module")
def project(tools, call, live, tmp_path_factory):
    """The program of the manual, compiled with the types of the contract."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "node_modules").symlink_to(tools.parent)
    manual = (CHECKOUT / "docs" / "client.md").read_text()
    (program,) = PROGRAM.findall(manual)
    (folder / "entries.ts").write_text(program)
    (folder / "main.ts").write_text(MAIN)
    (shown,) = re.findall(r"^npx (openapi-typescript)@7 (.*)$", manual, re.MULTILINE)
    name, options = shown[0], shown[1].replace("https://changewire.example", live.url)
    made = call(name, *options.split(), folder=folder)
    assert made.status == 0, made
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS}))
    compiled = call("tsc", folder=folder)
    assert compiled.status == 0, compiled.out
    return folder


@pytest.fixture
def read(project, live):
    """Run the program with a key."""

    def read(key):
        return subprocess.run(
            ["node", "main.js", live.url, key, ",".join(SLUGS)],
            cwd=project,
            timeout=60,
            capture_output=True,
            text=True,
        )

    return read


def test_it_reads_every_entry_of_more_than_one_page(read, live):
    done = read(live.keys["all"])

    with Client(live.url, live.keys["all"]) as client:
        expected = [entry["id"] for entry in client.entries(SLUGS)]
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
    assert len(expected) > 100


def test_it_says_why_the_api_refuses(read):
    done = read("cw_wrong")

    assert done.returncode == 1
    assert "The API key is missing or not valid." in done.stderr
