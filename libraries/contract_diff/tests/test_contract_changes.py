"""Every difference of two contracts above their schemas, in both directions."""

from pathlib import Path

import pytest
import yaml

from contract_diff import Severity, compare

TABLE = Path(__file__).parent / "tables" / "contract.yaml"
ROWS = yaml.safe_load(TABLE.read_text(encoding="utf-8"))


def found(changes):
    return {
        change.kind: change.severity.value
        for change in changes
        if change.kind != "version-not-raised"
    }


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_difference_of_contracts_is_told_with_its_severity(row, contract, today):
    beside = row.get("with", {})
    ending = {key: beside[key] for key in beside if key == "deprecated"}
    old = contract(row["at"], row["old"], ending)
    new = contract(row["at"], row["new"], beside)

    assert found(compare(old, new, today=today)) == row["there"]
    assert found(compare(new, old, today=today)) == row["back"]


def test_breaking_changes_come_first(contract):
    at = ["paths", "/things", "get", "parameters"]
    old = contract(at, [{"in": "query", "name": "z"}, {"in": "query", "name": "b"}])
    new = contract(
        at, [{"in": "query", "name": "a", "schema": {"type": "string"}},
             {"in": "query", "name": "b", "schema": {"default": 1}}]
    )  # fmt: skip

    severities = [change.severity for change in compare(old, new)]

    assert severities == sorted(severities, key=list(Severity).index)
    assert len(set(severities)) == 3


@pytest.mark.parametrize(
    ("version", "kinds"),
    [
        ("1.0.0", ["version-not-raised"]),
        ("1.9.0", ["version-not-raised", "version-changed"]),
        ("2.0.0", ["version-changed"]),
        ("0.9.0", ["version-decreased", "version-not-raised"]),
    ],
)
def test_a_breaking_change_needs_a_new_major_version(version, kinds, contract):
    old = contract(["info", "version"], "1.0.0")
    new = contract(["info", "version"], version)
    del new["paths"]["/things"]["post"]

    assert [
        change.kind for change in compare(old, new) if change.kind.startswith("version")
    ] == kinds


def test_a_parameter_of_the_path_is_one_of_each_operation(contract):
    limit = {"in": "query", "name": "limit", "schema": {"type": "integer"}}
    old = contract(["paths", "/things", "get", "parameters"], [limit])
    old["paths"]["/things"]["post"]["parameters"] = [limit]
    new = contract(["paths", "/things", "parameters"], [limit])

    assert compare(old, new) == []


def test_a_shared_component_is_the_same_as_one_written_in_place(contract):
    at = ["paths", "/things", "get", "parameters"]
    new = contract(at, [{"$ref": "#/components/parameters/Limit"}])
    limit = {"in": "query", "name": "limit", "schema": {"type": "integer"}}
    new["components"]["parameters"] = {"Limit": limit}

    assert compare(contract(at, [limit]), new) == []


def test_schemas_are_followed_however_deep_they_lie(contract):
    deep = {
        f"Level{level}": {
            "properties": {"down": {"$ref": f"#/components/schemas/Level{level + 1}"}}
        }
        for level in range(2000)
    }
    deep["Level0"]["anyOf"] = [{"$ref": "#/components/schemas/Next0"}, {"required": ["down"]}]
    links = {
        f"Next{level}": {"$ref": f"#/components/schemas/Next{level + 1}"} for level in range(2000)
    }
    links["Next2000"] = {}
    at = ["components", "schemas"]
    old = contract(at, {**deep, **links, "Level2000": {"maxLength": 2}})
    new = contract(at, {**deep, **links, "Level2000": {"maxLength": 1}})
    for contract in (old, new):
        schema = {"$ref": "#/components/schemas/Level0"}
        contract["paths"]["/things"]["post"]["requestBody"]["content"] = {"a/b": {"schema": schema}}

    [change, _] = compare(old, new)

    assert change.kind == "request-property-max-length-decreased"
    assert change.place.endswith("down › down")
