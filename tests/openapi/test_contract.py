"""The contract document says what the specification says."""

import pytest

from openapi.contract import load_contract, load_operations

OPERATIONS = {operation.operation_id: operation for operation in load_operations()}
SCHEMAS = load_contract()["components"]["schemas"]

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


@pytest.mark.parametrize(
    ("name", "route", "public", "parameters"),  # an asterisk marks a required parameter
    [
        ("list_sources", "GET /sources", True, "vendor q adapterType kind limit offset selected"),
        ("request_source", "POST /sources/request", True, ""),
        ("list_entries", "GET /entries", False, "sources* since limit offset"),
        ("get_diffs", "GET /diffs", False, "source*"),
        ("list_important", "GET /important", True, "limit offset"),
        ("list_latest", "GET /latest", True, "limit offset future"),
    ],
)
def test_an_operation_is_that_of_the_specification(name, route, public, parameters):
    operation, specified = OPERATIONS[name], parameters.split()
    found = [each.name + "*" * each.required for each in operation.parameters]

    assert (f"{operation.method} {operation.path}", operation.public) == (route, public)
    assert found[: len(specified)] == specified
    assert [each for each in found[len(specified) :] if each.endswith("*")] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_key_is_taken_in_both_headers_and_read_before_a_caller_without_one(name):
    security = OPERATIONS[name].security

    assert {("bearerKey",), ("headerKey",)} <= set(security)
    assert () not in security[:-1]
