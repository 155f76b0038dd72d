"""A client of openapi-typescript and openapi-fetch reads the service and its refusals."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"


@pytest.fixture(scope="module")
def project(tools, call, tmp_path_factory):
    """A folder with the generated types, and the programs that use them."""
    folder = tmp_path_factory.mktemp("typescript") / "project"
    shutil.copytree(HERE / "typescript", folder)
    (folder / "node_modules").symlink_to(tools.parent)
    outcome = call("openapi-typescript", CONTRACT, "--output", "schema.d.ts", folder=folder)
    assert outcome.status == 0, outcome
    return folder


def test_it_makes_the_calls_that_every_client_makes(project, call, live, seen):
    outcome = call("tsc", "--project", "tsconfig.json", folder=project)
    assert outcome.status == 0, outcome.out

    done = subprocess.run(
        ["node", "openapi_fetch.js", live.url, live.keys["all"], live.keys["diffs"]],
        cwd=project / "built",
        timeout=60,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == seen
