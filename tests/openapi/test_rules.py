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
    (f"{DIFFS} > tags", [], "GET /diffs: no tags"),
    (f"{DIFFS} > operationId", "getDiffs", "getDiffs: an operationId is in snake_case"),
    (f"{DIFFS} > operationId", "list_latest", "list_latest: 2 operations have this operationId"),
    (f"{DIFFS} > x-cost", GONE, "GET /diffs: x-cost is not a number from 1 on"),
    ("paths > /stacks > post > x-body-limit", 0,
     "POST /stacks: x-body-limit is not a number from 1 on"),
    (f"{LATEST} > responses > 200", {}, "GET /latest: response 200 is not under components"),
    (f"{LATEST} > responses > default", {"$ref": "#/components/responses/InternalError"},
     "GET /latest: a default response says nothing"),
    (f"{ADDON} > schema", {"$ref": "#/components/schemas/SourceRequestRecord"},
     "GET /diffs: 402 is not the Error object"),
    (f"{ADDON} > examples", GONE, "GET /diffs: 402 has no example"),
    (f"{ADDON} > examples > addon_required > value > error", "Something else.",
     "GET /diffs: in the example addon_required of 402, error is not message"),
    (f"{ADDON} > examples > addon_required > value > code", "pay_up",
     "responses/AddonRequired/application/json/addon_required: the example is not valid"),
    (f"{ERROR} > description", GONE, "schemas/Error/hint: no description"),
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
    (f"{SCHEMAS} > Diff > minProperties", 3, "schemas/Diff: nothing checks minProperties"),
    (f"{HEADERS} > RetryAfter > schema > exclusiveMinimum", True,
     "headers/RetryAfter: nothing checks exclusiveMinimum"),
    (f"{SCHEMAS} > Health > enum", ["healthy", "splendid"],
     "schemas/Health: the vocabulary has healthy, ok, degraded, problematic, unknown"),
    (f"{SCHEMAS} > Slug > pattern", GONE, "GET /entries: parameter sources: "
     "acme.compute,acme.storage,acme.compute,acme.storage would be one item"),
    ("paths > /diffs/{source}", {}, "/diffs/{source}: a path has no parameters"),
    (f"{PARAMETERS} > Sources > explode", False,
     "GET /entries: parameter sources: a list is written with style: form and explode: true"),
    (f"{SCHEMAS} > ChangelogEntry > properties > published_at > pattern", "Z$",
     "schemas/ChangelogEntry/published_at: the pattern does not begin with ^"),
    (f"{HEADERS} > ETag > schema > pattern", '"$',
     "headers/ETag: the pattern does not begin with ^"),
    (f"{PARAMETERS} > Offset > schema > maximum", GONE,
     "GET /latest: parameter offset: no maximum"),
    (f"{PARAMETERS} > Search > schema > maxLength", GONE,
     "GET /sources: parameter q: no maxLength"),
    (f"{PARAMETERS} > Sources > schema > maxItems", GONE,
     "GET /entries: parameter sources: no maxItems"),
    (f"{PARAMETERS} > Source > example", GONE, "GET /diffs: parameter source: no example"),
    (f"{PARAMETERS} > Limit > example", 500, "parameters/Limit: the example is not valid"),
    (f"{HEADERS} > ETag > example", 'W/"weak"', "headers/ETag: the example is not valid"),
    ("components > requestBodies > SourceRequest > content > application/json > examples > "
     "only_the_url > value > url", "acme.example",
     "requestBodies/SourceRequest/application/json/only_the_url: the example is not valid"),
    (f"{SCHEMAS} > Slug > example", "acme", "schemas/Slug: the example is not valid"),
    ("paths > /entries > get > responses > 304", GONE, "GET /entries: never answers 304"),
    ("paths > /entries > get > responses > 503", GONE, "GET /entries: never answers 503"),
    ("paths > /sources/request > post > responses > 413", GONE,
     "POST /sources/request: never answers 413"),
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


def test_what_openapi_refuses_is_told_with_its_place():
    contract = load_contract()
    contract["paths"]["/diffs"]["get"]["responses"]["200"] = {"content": {}}

    (sentence,) = check(contract)

    assert sentence.startswith("paths//diffs/get/responses/200: ")


def test_a_reference_that_leads_nowhere_is_told_with_its_place():
    contract = load_contract()
    answers = contract["paths"]["/diffs"]["get"]["responses"]
    answers["404"] = {"$ref": "#/components/responses/Nowhere"}

    assert check(contract) == [
        "paths//diffs/get/responses/404: #/components/responses/Nowhere does not exist"
    ]


def of_one_path(operation, **components):
    operation = {"responses": {"200": {"description": "Done."}}, **operation}
    paths = {"/a": {"get": operation}}
    return {"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "paths": paths,
            "components": components}  # fmt: skip


def asking(**parameter):
    return of_one_path({"parameters": [{"in": "query", "name": "q", **parameter}]})


def answering(media):
    return of_one_path({}, responses={"A": {"description": "A.", "content": {"a/b": media}}})


@pytest.mark.parametrize(
    "contract",
    [
        {"openapi": "3.0.3", "info": {"title": "A", "version": "1"}, "paths": {}},
        asking(schema={"oneOf": [{"type": "string"}]}),
        asking(content={"application/json": {"schema": {"type": "string"}}}),
        answering({}),
        answering({"schema": {}, "examples": {"a": {"externalValue": "https://acme.example/a"}}}),
        of_one_path({}, headers={"A": {"description": "A.", "content": {"a/b": {"schema": {}}}}}),
    ],
)
def test_a_contract_of_another_style_can_be_checked(contract):
    assert [problem for problem in check(contract) if not problem.startswith("GET /a: ")] == []


def test_an_example_elsewhere_is_followed():
    media = {"schema": {"type": "string"}, "examples": {"a": {"$ref": "#/components/examples/A"}}}
    contract = answering(media)
    contract["components"]["examples"] = {"A": {"value": 1}}

    problems = [problem for problem in check(contract) if "example is not valid" in problem]

    assert [problem.partition(":")[0] for problem in problems] == ["responses/A/a/b/a"]


def test_a_status_without_quotes_is_told_with_its_place():
    contract = load_contract()
    answers = contract["paths"]["/diffs"]["get"]["responses"]
    answers[200] = answers.pop("200")

    assert check(contract) == ["paths//diffs/get/responses: 200 is no text; put it in quotes"]


def test_a_document_that_holds_itself_is_told():
    contract = load_contract()
    contract["paths"]["/diffs"]["get"] = contract["paths"]

    assert check(contract) == ["The document nests too deeply, or holds itself."]


@pytest.mark.parametrize(
    ("version", "line"),
    [
        ("3.1.0", "It is written in OpenAPI 3.1.0; only 3.0 is read."),
        ("2.0", "It is written in OpenAPI 2.0; only 3.0 is read."),
        (None, "It names no version of OpenAPI; only OpenAPI 3.0 is read."),
    ],
)
def test_another_version_of_openapi_is_told_in_one_line(version, line):
    contract = load_contract() | {"openapi": version}

    assert check(contract) == [line]
