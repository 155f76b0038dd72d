"""The contract document says what the specification says, and says it once."""

import json

import pytest
import schemathesis
import yaml

from contract_diff.parse import parse_contract
from openapi.contract import (
    base_path,
    contract_json,
    contract_text,
    load_contract,
    load_operations,
    resolve,
)

OPERATIONS = {operation.operation_id: operation for operation in load_operations()}
SCHEMAS = load_contract()["components"]["schemas"]


def test_the_operations_of_the_specification_are_there():
    assert {(operation.method, operation.path, name) for name, operation in OPERATIONS.items()} >= {
        ("GET", "/sources", "list_sources"),
        ("POST", "/sources/request", "request_source"),
        ("GET", "/entries", "list_entries"),
        ("GET", "/diffs", "get_diffs"),
        ("GET", "/important", "list_important"),
        ("GET", "/latest", "list_latest"),
    }


def test_the_version_and_the_base_path_are_those_of_the_specification():
    assert load_contract()["info"]["version"] == "1.0.0"
    assert load_contract()["openapi"] == "3.0.3"
    assert base_path() == "/api/v1"


def test_the_yaml_and_the_json_are_one_document():
    assert yaml.safe_load(contract_text()) == json.loads(contract_json()) == load_contract()


@pytest.mark.parametrize("text", ["", "[]", "a: [", "info: {}"])
def test_what_is_no_contract_is_refused(text):
    with pytest.raises(ValueError):
        parse_contract(text)


def test_a_reference_that_leads_back_to_itself_leads_nowhere():
    circle = {"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}}

    with pytest.raises(KeyError):
        resolve(circle, circle["a"])


def test_another_tool_loads_the_contract():
    schema = schemathesis.openapi.from_dict(load_contract())

    assert len(list(schema.get_all_operations())) == len(OPERATIONS)


# Fields of the specification (2.1 to 2.5): required ones first, then optional ones.
FIELDS = {
    "ChangelogSource": (
        "slug vendor name kind changelogUrl adapterType tags",
        "homepage lastUpdatedAt lastFetchedAt health healthMessage",
    ),
    "ChangelogSourceSample": ("slug vendor name kind", "homepage lastUpdatedAt health"),
    "ChangelogEntry": ("id source vendor published_at title tags", "url summary raw"),
    "PublicEntry": ("id source vendor published_at title tags", "url summary"),
    "ImportantEntry": ("id source vendor published_at title tags importance", "url summary"),
    "SourceRequest": ("url", "name vendor note email"),
    "SourceRequestRecord": ("id status url message", ""),
    "Error": ("error code message", "hint"),
    "SourcePage": ("total limit offset items", ""),
    "SampleSourcePage": ("sample total limit offset items hint agent", ""),
    "EntryPage": ("plan total limit offset items", ""),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_shape_has_the_fields_of_the_specification(name):
    required, optional = (set(names.split()) for names in FIELDS[name])

    assert set(SCHEMAS[name]["required"]) >= required
    assert set(SCHEMAS[name]["required"]) & optional == set()
    assert set(SCHEMAS[name]["properties"]) >= required | optional


# Parameters of the specification (section 4); an asterisk marks a required one.
PARAMETERS = {
    "list_sources": "vendor q adapterType kind limit offset selected",
    "request_source": "",
    "list_entries": "sources* since limit offset",
    "get_diffs": "source*",
    "list_important": "limit offset",
    "list_latest": "limit offset future",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_an_operation_has_the_parameters_of_the_specification(name):
    parameters = [
        parameter.name + "*" * parameter.required for parameter in OPERATIONS[name].parameters
    ]
    specified = PARAMETERS[name].split()

    assert parameters[: len(specified)] == specified
    assert [
        parameter for parameter in parameters[len(specified) :] if parameter.endswith("*")
    ] == []


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("list_sources", True),
        ("request_source", True),
        ("list_important", True),
        ("list_latest", True),
        ("list_entries", False),
        ("get_diffs", False),
    ],
)
def test_an_operation_is_public_where_the_specification_says_so(name, public):
    assert OPERATIONS[name].public == public


def test_both_key_headers_are_taken_wherever_a_key_is():
    for operation in OPERATIONS.values():
        assert ("bearerKey",) in operation.security
        assert ("headerKey",) in operation.security


def test_callers_without_a_key_come_last_or_the_key_would_never_be_read():
    for operation in OPERATIONS.values():
        assert () not in operation.security[:-1]


@pytest.mark.parametrize("name", ["list_sources", "list_entries", "list_important", "list_latest"])
def test_a_page_is_fifty_items_from_the_first_unless_asked_otherwise(name):
    schemas = {parameter.name: parameter.schema for parameter in OPERATIONS[name].parameters}

    assert schemas["limit"]["default"] == 50
    assert (schemas["limit"]["minimum"], schemas["limit"]["maximum"]) == (1, 100)
    assert (schemas["offset"]["default"], schemas["offset"]["minimum"]) == (0, 0)
