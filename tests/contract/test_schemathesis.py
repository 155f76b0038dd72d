"""Stock Schemathesis finds nothing, with the configuration that is shipped (docs/decisions/0079).

No hook or filter of ours: every check and every phase, against the document that the service
serves. A key is sent in both of its headers: where one is left open, Schemathesis fills it with a
key of its own, and reads 401s. Chance decides which links of the contract a run follows; each is
followed here once more.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from specimen.rows import PUBLISHING

import conformance
from openapi.contract import load_contract, load_operations, resolve

EXAMPLES = os.environ.get("CHANGEWIRE_SCHEMATHESIS_EXAMPLES", "30")
"""Generated requests of each operation and caller. 1,000 take an hour and more."""
SEED = os.environ.get("CHANGEWIRE_SCHEMATHESIS_SEED", "1")
NEEDED = {"/entries": {"sources": PUBLISHING[0]}, "/upgrades": {"purl": "pkg:github/acme/compute"}}
"""What a list needs to have something on it."""
LONGEST = 3 * 60 * 60  # seconds
CONFIGURATION = Path(conformance.__file__).with_name("schemathesis.toml")
PATHS = {operation.operation_id: operation.path for operation in load_operations()}
LINKS = {
    f"{path} {name}": (path, link)
    for path, item in load_contract()["paths"].items()
    for operation in item.values()
    for response in operation["responses"].values()
    for name, link in resolve(load_contract(), response).get("links", {}).items()
}


@pytest.mark.parametrize("caller", ["no key", "free", "starter", "all", "diffs"])
def test_it_finds_nothing(live, caller, tmp_path):
    key, report = live.keys.get(caller), tmp_path / "report.json"
    headers = (f"X-Api-Key: {key}", f"Authorization: Bearer {key}") if key else ()
    command = [
        *(sys.executable, "-m", "schemathesis.cli", "--config-file", CONFIGURATION),
        *("run", f"{live.url}/openapi.json"),
        *(option for header in headers for option in ("--header", header)),
        *("--max-examples", EXAMPLES, "--seed", SEED, "--no-color"),
        f"--report-json-path={report}",
    ]

    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads(report.read_text())
    assert (summary["failures"], summary["errors"], summary["complete"]) == ([], [], True)
    assert {phase["status"] for phase in summary["phases"].values()} == {"success"}
    assert summary["operations"]["tested"] == len(PATHS)


@pytest.mark.parametrize(("start", "link"), LINKS.values(), ids=LINKS)
def test_a_link_leads_to_a_response(live, start, link):
    headers = {"X-Api-Key": live.keys["diffs"]}
    with httpx2.Client(base_url=f"{live.url}/api/v1", headers=headers, timeout=30) as client:
        page = client.get(start, params=NEEDED.get(start)).json()
        parameters = {name: at(page, value) for name, value in link["parameters"].items()}
        response = client.get(PATHS[link["operationId"]], params=parameters)

    assert response.status_code == 200


def at(page, value):
    """Return what a runtime expression of OpenAPI names in a page; other values are themselves."""
    place = value.removeprefix("$response.body#/")
    if place == value:
        return value
    for part in place.split("/"):
        page = page[int(part) if part.isdecimal() else part]
    return page
