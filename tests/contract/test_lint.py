"""Spectral and Redocly find nothing in the contract, under the rules they recommend."""

import json
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"


@pytest.fixture
def lint(call):
    """Lint a document; returns the names of the rules it breaks, mere hints among them."""

    def spectral(file):
        outcome = call(
            *("spectral", "lint", file, "--ruleset", HERE / "spectral.yaml"),
            *("--fail-severity", "hint", "--format", "json", "--quiet"),
        )
        found = {each["code"] for each in json.loads(outcome.out)}
        assert outcome.status == (1 if found else 0), outcome.err
        return found

    def redocly(file):
        outcome = call(
            *("redocly", "lint", file, "--config", HERE / "redocly.yaml", "--format", "json")
        )
        report = json.loads(outcome.out)
        return {each["ruleId"] for each in report["problems"]}

    return {"spectral": spectral, "redocly": redocly}


@pytest.mark.parametrize("tool", ["spectral", "redocly"])
def test_a_linter_finds_nothing(lint, tool):
    assert lint[tool](CONTRACT) == set()


@pytest.mark.parametrize(
    ("tool", "rule"),
    [("spectral", "operation-tag-defined"), ("redocly", "operation-4xx-response")],
)
def test_what_a_linter_only_warns_of_is_heard(lint, tmp_path, tool, rule):
    contract = yaml.safe_load(CONTRACT.read_text())
    operation = contract["paths"]["/latest"]["get"]
    operation["tags"] = ["unknown"]
    for status in ("400", "401"):
        del operation["responses"][status]
    file = tmp_path / "openapi.yaml"
    file.write_text(yaml.safe_dump(contract))

    assert lint[tool](file) == {rule}
