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
def redocly(call):
    """Lint a document with Redocly; returns the names of the rules it breaks."""

    def redocly(file):
        outcome = call(
            *("redocly", "lint", file, "--config", HERE / "redocly.yaml", "--format", "json")
        )
        return {problem["ruleId"] for problem in json.loads(outcome.out)["problems"]}

    return redocly


def test_no_linter_finds_anything(places, redocly):
    assert places(CONTRACT) == []
    assert redocly(CONTRACT) == set()


def test_each_linter_hears_a_fault_where_no_exception_holds(places, redocly, tmp_path):
    contract, file = yaml.safe_load(CONTRACT.read_text()), tmp_path / "openapi.yaml"
    components, paths = contract["components"], contract["paths"]
    paths["/latest"]["get"]["tags"] = ["unknown"]  # only a warning
    del components["schemas"]["ChangelogEntry"]["properties"]["title"]["maxLength"]
    responses = paths["/sources/request"]["post"]["responses"]
    responses["403"] = responses.pop("429")
    del components["responses"]["Forbidden"]["headers"]["Access-Control-Allow-Origin"]
    for status in ("400", "401", "429"):
        del paths["/latest"]["get"]["responses"][status]
    file.write_text(yaml.safe_dump(contract))

    assert redocly(file) >= {"operation-4xx-response"}
    assert {rule for rule, _ in places(file)} >= {
        "operation-tag-defined",
        "owasp:api4:2023-string-limit",
        "owasp:api4:2023-rate-limit-responses-429",
        "owasp:api8:2023-define-cors-origin",
    }


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
