"""Clients in TypeScript of four generators make the same calls to the running service."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
HEY_API = ("@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk")


@pytest.fixture(scope="module")
def project(tools, call, environment, tmp_path_factory):
    """A folder with what each generator made, and the programs that use it."""
    folder = tmp_path_factory.mktemp("typescript") / "project"
    shutil.copytree(HERE / "typescript", folder)
    (folder / "node_modules").symlink_to(tools.parent)
    for arguments in (
        ("openapi-typescript", CONTRACT, "--output", "schema.d.ts"),
        ("openapi-ts", "--input", CONTRACT, "--output", "hey", "--plugins", *HEY_API),
        ("orval", "--input", CONTRACT, "--output", "./orval/client.ts", "--client", "fetch"),
    ):
        outcome = call(*arguments, folder=folder)
        assert outcome.status == 0, outcome
    environment("openapi_generator")(
        *(
            "openapi-generator-cli",
            "generate",
            "--input-spec",
            CONTRACT,
            "--output",
            folder / "tsf",
        ),
        *("--generator-name", "typescript-fetch"),
    )
    return folder


@pytest.fixture(scope="module")
def compiled(project, call):
    """The programs, compiled under strict rules."""
    outcome = call("tsc", "--project", "tsconfig.json", folder=project)
    assert outcome.status == 0, outcome.out
    return project / "built"


@pytest.mark.parametrize("client", ["openapi_fetch", "hey_api", "typescript_fetch", "orval"])
def test_a_client_at_its_defaults_makes_every_call(compiled, live, client, seen):
    done = subprocess.run(
        ["node", f"{client}.js", live.url, live.keys["all"], live.keys["diffs"]],
        cwd=compiled,
        timeout=60,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == seen


def test_what_the_contract_does_not_have_does_not_compile(project, call):
    outcome = call("tsc", "--project", "tsconfig.misspelled.json", folder=project)

    assert outcome.status != 0
    assert "'sinse' does not exist" in outcome.out
    assert "Type 'string' is not assignable to type 'number'" in outcome.out
