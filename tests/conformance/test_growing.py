"""A contract that only adds: consumers of the old one notice nothing, and neither do the tools."""

from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from runs import conformance_of, listening

import openapi
from contract_diff import Severity, compare
from openapi.contract import load_contract

OLD = load_contract()
GROWN = "/sources] or /entries] or /latest] or /deadlines] or fields or page_says or contract_has"
"""The checks of what grew."""
SHIPPED = Path(openapi.__file__).with_name("openapi.yaml")


def grown():
    """A made-up version 1.1.0: a field, a parameter and values more, wherever that is promised."""
    contract = deepcopy(OLD)
    contract["info"]["version"] = "1.1.0"
    schemas, parameters = (contract["components"][group] for group in ("schemas", "parameters"))
    for name in ("ChangelogEntry", "ChangelogSource", "Error", "Deadline"):
        field = {"type": "integer", "description": "How many words it has."}
        schemas[name]["properties"]["wordCount"] = field
    for name in ("Kind", "RequestStatus", "FactType", "DeadlineKind", "ErrorCode"):
        schemas[name]["x-extensible-enum"].append("another")
    parameters["Language"] = {
        "name": "language", "in": "query", "description": "A language.", "example": "en",
        "schema": {"type": "string", "minLength": 2, "maxLength": 2},
    }  # fmt: skip
    for path in ("/sources", "/entries", "/latest"):
        reference = {"$ref": "#/components/parameters/Language"}
        contract["paths"][path]["get"]["parameters"].append(reference)
    return contract


def with_more(value):
    """A response with the new field in every object that may have it, and a new value."""
    if isinstance(value, list):
        return [with_more(item) for item in value]
    if not isinstance(value, dict):
        return "another" if value == "end_of_life" else value
    more = {name: item if name == "raw" else with_more(item) for name, item in value.items()}
    may_have_more = {"changelogUrl", "raw", "code", "evidence"} & more.keys()
    return more | {"wordCount": 5} if may_have_more and "categories" not in more else more


@pytest.fixture
def service(broken):
    """The service as the made-up version would answer."""
    contract = grown()

    def answered(reply):
        if reply.asked.path == "/openapi.json" and reply.status == 200:
            reply.json = contract
        elif reply.asked.path == "/openapi.yaml" and reply.status == 200:
            reply.body = yaml.safe_dump(contract).encode()
        elif reply.body and "json" in reply.headers.get("content-type", ""):
            reply.json = with_more(reply.json)

    def asked(request):
        languages = [value for name, value in request.params if name == "language"]
        if len(languages) == 1 and len(languages[0]) == 2:  # a wrong one is refused: it is unknown
            request.params = [pair for pair in request.params if pair[0] != "language"]

    return broken(answered=answered, asked=asked)


def test_what_was_added_breaks_nothing():
    changes = compare(OLD, grown())

    assert {change.severity for change in changes} == {Severity.INFO}
    assert {change.kind for change in changes} >= {
        "response-property-added",
        "request-parameter-added",
        "response-property-extensible-enum-value-added",
    }


@pytest.mark.slow
@pytest.mark.parametrize("contract", [("--contract", str(SHIPPED)), ()], ids=["old", "its own"])
def test_a_service_that_grew_conforms(service, running, contract):
    options = ["--api-key", running.keys["diffs"], "--max-examples", "1", "--strict"]
    with listening(service) as url:
        report = conformance_of(url, *options, *contract, "--", "-k", GROWN)

    assert [(one["check"], one["words"]) for one in report["findings"]] == []
