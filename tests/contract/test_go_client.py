"""The Go client of OpenAPI Generator compiles, and makes the same calls as the others."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from specimen.programs import missing

from openapi.contract import load_contract

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
PROGRAM = HERE / "openapi_generator_go"
VALIDATOR = Path("/usr/share/gocode/src/gopkg.in/validator.v2")
"""The one package that the client needs besides Go's own: it tells the two kinds of pages apart."""


@pytest.fixture(scope="module")
def validator():
    """The folder of that package, as Debian has it."""
    if not VALIDATOR.is_dir():
        missing("validator.v2 is not here: apt-get install golang-gopkg-validator.v2-dev.")
    return VALIDATOR


@pytest.fixture
def reader(validator, environment, tools_folder, tmp_path):
    """Compile the program that makes the calls, with the client of a contract."""

    def reader(contract, *settings):
        sources, program = tmp_path / "src", tmp_path / "read"
        environment("openapi_generator")(
            *("openapi-generator-cli", "generate", "--generator-name", "go", *settings),
            *("--input-spec", contract, "--output", sources / "changewire"),
            *("--package-name", "changewire", "--global-property", "apiTests=false"),
        )
        shutil.copytree(PROGRAM / "reader", sources / "reader")
        shutil.copytree(PROGRAM / validator.name, sources / "gopkg.in" / validator.name)
        shutil.copytree(validator, sources / "debian" / validator.name)
        environment("openapi_generator_go")(
            *("go", "build", "-o", program),
            at=sources / "reader",
            GO111MODULE="off",
            GOPATH=tmp_path,
            GOCACHE=tools_folder / "go-cache",
        )
        return program

    return reader


@pytest.fixture
def read(live):
    """Make the calls to the running service; returns what was seen."""

    def read(program):
        done = subprocess.run(
            [program, live.url, live.keys["all"], live.keys["diffs"]],
            timeout=60,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return read


def test_a_client_at_its_defaults_makes_every_call(reader, read, seen):
    assert read(reader(CONTRACT)) == seen


def test_a_client_of_an_older_contract_reads_what_was_added(reader, read, seen, tmp_path):
    contract, older = load_contract(), tmp_path / "older.yaml"
    for name, added in (("ChangelogSource", "tags"), ("EntryPage", "plan"), ("Error", "error")):
        schema = contract["components"]["schemas"][name]
        del schema["properties"][added]
        schema["required"].remove(added)
    older.write_text(yaml.safe_dump(contract))
    growing = ("--additional-properties", "disallowAdditionalPropertiesIfNotPresent=false")

    assert read(reader(older, *growing)) == seen
