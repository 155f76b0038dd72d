"""The Python client of OpenAPI Generator, whose models hold every answer against the contract.

The generator is of another family than the other two: templates, read by a program in Java. It
reads patterns and one-of in its own way, and Pydantic refuses an answer that does not fit.
"""

import json
from pathlib import Path

import pytest
import yaml

from openapi.contract import load_contract

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"


@pytest.fixture(scope="module")
def run(environment):
    """Run a program of the generator's environment."""
    return environment("openapi_generator")


@pytest.fixture
def generated(run, tmp_path):
    """Generate a client of a contract; returns the folder it can be imported from."""

    def generated(contract):
        arguments = ("--generator-name", "python", "--package-name", "changewire_client")
        only = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
        run(
            *("openapi-generator-cli", "generate", "--input-spec", contract, *arguments),
            *("--output", tmp_path / "client", "--global-property", only),
        )
        return tmp_path / "client"

    return generated


def test_the_generator_finds_nothing_to_improve(run):
    said = run("openapi-generator-cli", "validate", "--input-spec", CONTRACT, "--recommend")

    assert "No validation issues detected" in said


@pytest.fixture
def read(run, generated, live):
    """Read the running service with the client of a contract; returns what was seen."""

    def read(contract):
        folder, program = generated(contract), HERE / "openapi_generator" / "read_service.py"
        run("python", "-W", "error", "-m", "compileall", "-q", "changewire_client", at=folder)
        (folder / program.name).write_text(program.read_text())
        keys = (live.keys["all"], live.keys["diffs"])
        return json.loads(run("python", "-W", "error", program.name, live.url, *keys, at=folder))

    return read


def test_its_client_reads_the_running_service_and_its_refusals(read):
    assert read(CONTRACT) == {
        "sample": ["SampleSourcePage", 5],
        "catalog": ["SourcePage", 3, "https://acme.example/compute"],
        "entries": [80, "Version 0 goes", "Version 0 goes", "Version 3 goes"],
        "since": 8,
        "latest": 100,
        "important": ["removed"],
        "diffs": [3, "Version 2 goes", None],
        "asked": "pending",
        "refused": [
            [403, "source_not_selected"],
            [401, "unauthorized"],
            [402, "addon_required"],
            [403, "source_not_selected"],
        ],
    }


def test_its_client_takes_no_answer_that_the_contract_does_not_promise(read, tmp_path):
    contract, file = load_contract(), tmp_path / "openapi.yaml"
    contract["components"]["schemas"]["ChangelogEntry"]["properties"]["title"]["maxLength"] = 3
    file.write_text(yaml.safe_dump(contract))

    with pytest.raises(AssertionError, match="ValidationError: 1 validation error"):
        read(file)
