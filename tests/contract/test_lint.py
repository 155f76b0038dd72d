"""Spectral and Redocly find nothing in the contract: the rules they recommend, and OWASP's."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"


RULES = HERE / "spectral.yaml"


@pytest.fixture
def places(call, tools):
    """Lint a document with Spectral; returns each rule it breaks with the place, as a pointer."""

    def places(file, rules=RULES):
        beside_its_packages = tools.parents[1] / rules.name  # where Spectral looks for rulesets
        shutil.copy(rules, beside_its_packages)
        outcome = call(
            *("spectral", "lint", file, "--ruleset", beside_its_packages),
            *("--fail-severity", "hint", "--format", "json", "--quiet"),
        )
        found = [(problem["code"], pointer(problem["path"])) for problem in json.loads(outcome.out)]
        assert outcome.status == (1 if found else 0), outcome.err
        return found

    return places


def pointer(path):
    """A place as a JSON pointer (RFC 6901)."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


@pytest.fixture
def lint(call, places):
    """Lint a document; returns the names of the rules it breaks, mere hints among them."""

    def spectral(file):
        return {rule for rule, _ in places(file)}

    def redocly(file):
        outcome = call(
            *("redocly", "lint", file, "--config", HERE / "redocly.yaml", "--format", "json")
        )
        report = json.loads(outcome.out)
        return {problem["ruleId"] for problem in report["problems"]}

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
    operation["tags"] = ["unknown"] if tool == "spectral" else operation["tags"]
    for status in ("400", "401", "429") if tool == "redocly" else ():
        del operation["responses"][status]
    file = tmp_path / "openapi.yaml"
    file.write_text(yaml.safe_dump(contract))

    assert lint[tool](file) == {rule}


def without_length(contract):
    del contract["components"]["schemas"]["ChangelogEntry"]["properties"]["title"]["maxLength"]


def without_429(contract):
    responses = contract["paths"]["/sources/request"]["post"]["responses"]
    responses["403"] = responses.pop("429")


def without_cors(contract):
    del contract["components"]["responses"]["Forbidden"]["headers"]["Access-Control-Allow-Origin"]


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (without_length, "owasp:api4:2023-string-limit"),
        (without_429, "owasp:api4:2023-rate-limit-responses-429"),
        (without_cors, "owasp:api8:2023-define-cors-origin"),
    ],
)
def test_the_exceptions_hold_for_their_places_only(lint, tmp_path, spoil, rule):
    contract, file = yaml.safe_load(CONTRACT.read_text()), tmp_path / "openapi.yaml"
    spoil(contract)
    file.write_text(yaml.safe_dump(contract))

    assert lint["spectral"](file) == {rule}


def test_every_exception_is_needed(places, tmp_path):
    ruleset, bare = yaml.safe_load(RULES.read_text()), tmp_path / "no-exceptions.yaml"
    excepted = {
        (rule, file.removeprefix("**#"))
        for each in ruleset.pop("overrides")
        for rule in each["rules"]
        for file in each["files"]
    }
    bare.write_text(yaml.safe_dump(ruleset))

    found = places(CONTRACT, bare)

    assert excepted == {
        (rule, place)
        for rule, place in excepted
        if any(rule == other and f"{inner}/".startswith(f"{place}/") for other, inner in found)
    }
