"""The contract follows the house rules, and each rule notices when it does not."""

from functools import cache, reduce
from operator import getitem

import pytest

from openapi.contract import load_contract
from openapi.rules import RULES, check


def test_the_contract_breaks_no_rule():
    assert check(load_contract()) == []


GONE = object()
"""In place of a value: the key is removed."""
DIFFS, LATEST = "paths > /diffs > get", "paths > /latest > get"
SCHEMAS, PARAMETERS = "components > schemas", "components > parameters"
HEADERS, RESPONSES = "components > headers", "components > responses"
ADDON = f"{RESPONSES} > AddonRequired > content > application/json"
ERROR = f"{SCHEMAS} > Error > properties > hint"
NAMELESS = {"type": "object", "additionalProperties": False, "properties": {"name": {}}}
FAULTS = [
    (f"{DIFFS} > summary", GONE, "GET /diffs: no summary"),
    (f"{DIFFS} > operationId", "getDiffs", "getDiffs: an operationId is in snake_case"),
    (f"{DIFFS} > operationId", "list_latest", "list_latest: 2 operations have this operationId"),
    ("paths > /stacks > post > x-body-limit", 0,
     "POST /stacks: x-body-limit is not a number from 1 on"),
    (f"{LATEST} > responses > 200", {}, "GET /latest: response 200 is not under components"),
    (f"{LATEST} > responses > default", {"$ref": "#/components/responses/InternalError"},
     "GET /latest: a default response says nothing"),
    (f"{LATEST} > responses > 304", GONE, "GET /latest: never answers 304"),
    ("paths > /sources/request > post > responses > 413", GONE,
     "POST /sources/request: never answers 413"),
    (f"{ADDON} > schema", {"$ref": "#/components/schemas/SourceRequestRecord"},
     "GET /diffs: 402 is not the Error object"),
    (f"{ADDON} > examples", GONE, "GET /diffs: 402 has no example"),
    (f"{ADDON} > examples > addon_required > value > error", "Something else.",
     "GET /diffs: in the example addon_required of 402, error is not message"),
    (f"{ERROR} > oneOf", [NAMELESS], "schemas/Error/hint/oneOf/0/name: no description"),
    (f"{PARAMETERS} > Limit > description", GONE, "parameters/Limit: no description"),
    (f"{SCHEMAS} > SourceRequest > additionalProperties", GONE,
     "schemas/SourceRequest: an object in a request says additionalProperties: false"),
    (f"{SCHEMAS} > Snapshot > additionalProperties", False,
     "schemas/Snapshot: is closed, so that no later version could add a property"),
    (f"{SCHEMAS} > SourcePage > properties > items > items",
     {"allOf": [{"$ref": "#/components/schemas/ChangelogSource"}]},
     "schemas/SourcePage/items/items: allOf cannot be closed part by part"),
    (f"{PARAMETERS} > Selected > schema", {"type": "string", "x-extensible-enum": ["1"]},
     "parameters/Selected: a request has enum, not x-extensible-enum"),
    (f"{SCHEMAS} > Kind > enum", ["changelog"],
     "schemas/Kind: x-extensible-enum stands at a text, and without enum"),
    (f"{SCHEMAS} > Kind > x-extensible-enum", ["blog", "blog"],
     "schemas/Kind: x-extensible-enum lists different values"),
    (f"{HEADERS} > RetryAfter > schema > exclusiveMinimum", True,
     "headers/RetryAfter: nothing checks exclusiveMinimum"),
    (f"{SCHEMAS} > Health > enum", ["healthy", "splendid"],
     "schemas/Health: the vocabulary has healthy, ok, degraded, problematic, unknown"),
    (f"{SCHEMAS} > Slug > pattern", GONE, "GET /entries: parameter sources: "
     "kubernetes.kubernetes,stripe.changelog,kubernetes.kubernetes,stripe.changelog would be"),
    (f"{PARAMETERS} > Sources > explode", False,
     "GET /entries: parameter sources: a list is written with style: form and explode: true"),
    ("paths > /diffs/{source}", {}, "/diffs/{source}: a path has no parameters"),
    (f"{HEADERS} > ETag > schema > pattern", '"$',
     "headers/ETag: the pattern does not begin with ^"),
    (f"{PARAMETERS} > Search > schema > maxLength", GONE,
     "GET /sources: parameter q: no maxLength"),
    (f"{PARAMETERS} > Source > examples", GONE, "GET /diffs: parameter source: no example"),
    (f"{PARAMETERS} > Limit > example", 500, "parameters/Limit: the example is not valid"),
    ("components > requestBodies > SourceRequest > content > application/json > examples > "
     "only_the_url > value > url", "acme.example",
     "requestBodies/SourceRequest/application/json/only_the_url: the example is not valid"),
    (f"{SCHEMAS} > Slug > example", "acme", "schemas/Slug: the example is not valid"),
]  # fmt: skip


@cache
def told_of(number):
    """Return what each rule tells of a fault."""
    where, value, _ = FAULTS[number]
    contract = load_contract()
    *way, last = where.split(" > ")
    place = reduce(getitem, way, contract)
    if value is GONE:
        del place[last]
    else:
        place[last] = value
    return {rule: list(rule(contract)) for rule in RULES}


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[fault[2] for fault in FAULTS])
def test_a_broken_rule_is_told(number):
    told = [fault for faults in told_of(number).values() for fault in faults]

    assert any(fault.startswith(FAULTS[number][2]) for fault in told), told


def test_every_rule_notices_something():
    noticed = {
        rule for number in range(len(FAULTS)) for rule, faults in told_of(number).items() if faults
    }
    assert noticed == set(RULES)


BAD = "paths//diffs/get/responses"


@pytest.mark.parametrize(
    ("status", "response", "sentence"),
    [
        ("200", {"content": {}}, f"{BAD}/200: "),
        ("404", {"$ref": "#/components/responses/Nowhere"},
         f"{BAD}/404: #/components/responses/Nowhere does not exist"),
        (422, {"$ref": "#/components/responses/InternalError"},
         f"{BAD}: 422 is not a string; put it in quotes"),
    ],
)  # fmt: skip
def test_what_openapi_refuses_is_told_with_its_place(status, response, sentence):
    contract = load_contract()
    contract["paths"]["/diffs"]["get"]["responses"][status] = response

    (found,) = check(contract)

    assert found.startswith(sentence)


@pytest.mark.parametrize(
    "parameter",
    [
        {"schema": {"oneOf": [{"type": "string"}]}},
        {"content": {"application/json": {"schema": {"type": "string"}}}},
    ],
)
def test_a_contract_of_another_style_can_be_checked(parameter):
    operation = {
        "parameters": [{"in": "query", "name": "q", **parameter}],
        "responses": {"200": {"description": "Done."}},
    }
    head = {"openapi": "3.0.3", "info": {"title": "A", "version": "1"}}

    problems = check({**head, "paths": {"/a": {"get": operation}}})

    assert [problem for problem in problems if not problem.startswith("GET /a: ")] == []


def test_a_document_that_holds_itself_is_told():
    contract = load_contract()
    contract["paths"]["/diffs"]["get"] = contract["paths"]

    assert check(contract) == ["The document nests too deeply, or holds itself."]
