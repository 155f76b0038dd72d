"""Stock Schemathesis finds nothing, with the configuration that is shipped (docs/decisions/0079).

No hook or filter of ours: every check and every phase, against the document that the service
serves. A key is sent in both of its headers: where one is left open, Schemathesis fills it with a
key of its own, and reads 401s.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from specimen.rows import PUBLISHING

import conformance
from openapi.contract import load_contract, resolve

EXAMPLES = os.environ.get("CHANGEWIRE_SCHEMATHESIS_EXAMPLES", "30")
"""Generated requests of each operation and caller. 1,000 take an hour and more."""
SEED = os.environ.get("CHANGEWIRE_SCHEMATHESIS_SEED", "1")
LINK_EXAMPLES = "500"
"""Walks along links: lists that a generated filter leaves empty lead nowhere."""
MORE_SEEDS = [str(int(SEED) + more) for more in range(1, 4)]
"""Of the runs that follow links alone, by the caller who may follow all of them."""
NEEDED = {"/entries": {"sources": PUBLISHING[0]}, "/upgrades": {"purl": "pkg:github/acme/compute"}}
"""What a list needs to have something on it."""
LONGEST = 3 * 60 * 60  # seconds
CALLERS = ("no key", "free", "starter", "all", "diffs")
CONFIGURATION = Path(conformance.__file__).with_name("schemathesis.toml")


@dataclass(frozen=True)
class Run:
    """What Schemathesis did: its exit status, its words, its reports."""

    status: int
    out: str
    summary: dict
    links: Counter


@pytest.fixture(scope="module")
def runs(live, tmp_path_factory):
    """Run Schemathesis for a caller, once."""
    done = {}

    def run(caller):
        if caller not in done:
            folder = tmp_path_factory.mktemp("schemathesis")
            done[caller] = run_of(live, caller, folder)
        return done[caller]

    return run


def run_of(live, caller, folder, *options, seed=SEED, examples=EXAMPLES):
    key = live.keys.get(caller)
    headers = (f"X-Api-Key: {key}", f"Authorization: Bearer {key}") if key else ()
    reports = {kind: folder / f"report.{kind}" for kind in ("json", "ndjson")}
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", CONFIGURATION),
        *("run", f"{live.url}/openapi.json"),
        *(option for header in headers for option in ("--header", header)),
        *("--max-examples", examples, "--seed", seed, "--no-color"),
        *options,
        *(f"--report-{kind}-path={path}" for kind, path in reports.items()),
    ]
    completed = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    return Run(
        completed.returncode,
        completed.stdout + completed.stderr,
        json.loads(reports["json"].read_text()),
        links_followed(reports["ndjson"]),
    )


def links_followed(report: Path):
    """Count the links of the contract that were followed, by operation and name."""
    links = Counter()
    with report.open(encoding="utf-8") as lines:
        for line in lines:
            recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
            for case in recorder.get("cases", {}).values():
                if case.get("is_transition_applied"):
                    links[case["transition"]["id"]] += 1
    return links


def links_of(contract):
    """Return the links of a contract as Schemathesis names them."""
    paths = {
        operation["operationId"]: f"{method.upper()} {path}"
        for path, item in contract["paths"].items()
        for method, operation in item.items()
    }
    return {
        f"{paths[operation['operationId']]} -> [{status}] {name} -> {paths[link['operationId']]}"
        for item in contract["paths"].values()
        for operation in item.values()
        for status, response in operation["responses"].items()
        for name, link in resolve(contract, response).get("links", {}).items()
    }


@pytest.mark.parametrize("caller", CALLERS)
def test_it_finds_nothing(runs, caller):
    run = runs(caller)

    assert run.status == 0, run.out
    assert (run.summary["failures"], run.summary["errors"]) == ([], [])
    assert run.summary["complete"]
    assert {phase["status"] for phase in run.summary["phases"].values()} == {"success"}
    operations = sum(map(len, load_contract()["paths"].values()))
    assert run.summary["operations"]["tested"] == operations


def test_every_link_is_followed(live, runs, tmp_path_factory):
    """Chance decides which links a run follows: another seed is tried for those passed over.

    What chance still passes over, a link of a list that generated filters nearly always leave
    empty, is followed here.
    """
    followed = sum((runs(caller).links for caller in CALLERS), Counter())
    missing = links_of(load_contract()) - followed.keys()
    for seed in MORE_SEEDS:
        if missing:
            folder = tmp_path_factory.mktemp("links")
            only_links = ("--phases", "stateful")
            run = run_of(live, "diffs", folder, *only_links, seed=seed, examples=LINK_EXAMPLES)
            assert run.status == 0, run.out
            missing -= run.links.keys()

    assert {link: follow(live, link) for link in missing} == dict.fromkeys(missing, 200)


def follow(live, link):
    """Follow a link from the operation's list as it is without filters; return the status."""
    start, name, end = re.fullmatch(r"GET (\S+) -> \[200\] (\w+) -> GET (\S+)", link).groups()
    contract = load_contract()
    response = resolve(contract, contract["paths"][start]["get"]["responses"]["200"])
    headers = {"X-Api-Key": live.keys["diffs"]}
    with httpx2.Client(base_url=f"{live.url}/api/v1", headers=headers, timeout=30) as client:
        page = client.get(start, params=NEEDED.get(start)).json()
        parameters = {
            parameter: at(page, value) for parameter, value in linked(response, name).items()
        }
        return client.get(end, params=parameters).status_code


def linked(response, name):
    return response["links"][name]["parameters"]


def at(page, value):
    """Return what a runtime expression of OpenAPI names in a page; other values are themselves."""
    place = value.removeprefix("$response.body#/")
    if place == value:
        return value
    for part in place.split("/"):
        page = page[int(part) if part.isdecimal() else part]
    return page
