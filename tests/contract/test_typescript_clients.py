"""Clients in TypeScript: types of openapi-typescript, functions of @hey-api/openapi-ts."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"


@pytest.fixture(scope="module")
def project(tools, call, tmp_path_factory):
    """A folder with both generated clients and the programs that use them."""
    folder = tmp_path_factory.mktemp("typescript") / "project"
    shutil.copytree(HERE / "typescript", folder)
    (folder / "node_modules").symlink_to(tools / "node_modules")
    for command in (
        ("openapi-typescript", CONTRACT, "--output", "schema.d.ts"),
        ("openapi-ts", "--input", CONTRACT, "--output", "sdk", "--no-log-file"),
    ):
        outcome = call(*command, folder=folder)
        assert outcome.status == 0, outcome
    return folder


@pytest.fixture(scope="module")
def built(project, call):
    """The folder of both programs, compiled under strict rules with all they import."""
    outcome = call("tsc", "--project", "tsconfig.json", folder=project)
    assert outcome.status == 0, outcome.out
    return project / "built"


@pytest.mark.parametrize("program", ["typed_fetch", "generated_sdk"])
def test_a_client_compiles_and_reads_the_running_service(built, live, program):
    done = subprocess.run(
        ["node", f"{program}.js", live.url, live.keys["all"]],
        cwd=built,
        timeout=60,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "sample": True,
        "total": 80,
        "titles": ["Version 0 goes", "Version 0 goes", "Version 3 goes"],
        "code": "addon_required",
    }


def test_what_the_contract_does_not_have_does_not_compile(project, call):
    outcome = call("tsc", "--project", "tsconfig.misspelled.json", folder=project)

    assert outcome.status != 0
    assert "'sinse' does not exist" in outcome.out
    assert "Type 'string' is not assignable to type 'number'" in outcome.out
