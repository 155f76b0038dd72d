"""The contract follows the house rules, and each rule notices when it does not."""

from functools import cache

import pytest

from openapi.contract import load_contract
from openapi.rules import RULES, check, violations


def test_the_contract_breaks_no_rule():
    assert check(load_contract()) == []


def a_summary_is_missing(contract):
    del contract["paths"]["/sources"]["get"]["summary"]
    return "GET /sources: no summary"


def a_tag_is_missing(contract):
    contract["paths"]["/diffs"]["get"]["tags"] = []
    return "GET /diffs: no tags"


def an_operation_id_is_in_camel_case(contract):
    contract["paths"]["/diffs"]["get"]["operationId"] = "getDiffs"
    return "getDiffs: an operationId is in snake_case"


def two_operations_share_an_id(contract):
    contract["paths"]["/diffs"]["get"]["operationId"] = "list_latest"
    return "list_latest: 2 operations have this operationId"


def a_response_is_spelled_out_at_its_operation(contract):
    responses = contract["paths"]["/latest"]["get"]["responses"]
    responses["200"] = contract["components"]["responses"]["LatestEntries"]
    return "GET /latest: response 200 is not under components"


def an_operation_has_a_catch_all_answer(contract):
    responses = contract["paths"]["/latest"]["get"]["responses"]
    responses["default"] = {"$ref": "#/components/responses/InternalError"}
    return "GET /latest: a default response says nothing"


@pytest.mark.parametrize("status", ["304", "400", "401", "500", "503"])
def test_an_answer_that_any_operation_can_give_is_missed(status):
    contract = load_contract()
    del contract["paths"]["/entries"]["get"]["responses"][status]

    assert list(violations(contract)) == [f"GET /entries: never answers {status}"]


@pytest.mark.parametrize("status", ["413", "415"])
def test_an_answer_to_a_wrong_body_is_missed(status):
    contract = load_contract()
    del contract["paths"]["/sources/request"]["post"]["responses"][status]

    assert list(violations(contract)) == [f"POST /sources/request: never answers {status}"]


def an_error_has_a_shape_of_its_own(contract):
    body = contract["components"]["responses"]["AddonRequired"]["content"]["application/json"]
    body["schema"] = {"$ref": "#/components/schemas/SourceRequestRecord"}
    return "GET /diffs: 402 is not the Error object"


def an_error_has_no_example(contract):
    body = contract["components"]["responses"]["AddonRequired"]["content"]["application/json"]
    del body["examples"]
    return "GET /diffs: 402 has no example"


def an_example_says_two_things_at_once(contract):
    body = contract["components"]["responses"]["AddonRequired"]["content"]["application/json"]
    body["examples"]["addon_required"]["value"]["error"] = "Something else."
    return "GET /diffs: in the example addon_required of 402, error is not message"


def an_example_has_an_unknown_code(contract):
    body = contract["components"]["responses"]["AddonRequired"]["content"]["application/json"]
    body["examples"]["addon_required"]["value"]["code"] = "pay_up"
    return "responses/AddonRequired/application/json/addon_required: the example is not valid"


def a_property_is_not_described(contract):
    del contract["components"]["schemas"]["Error"]["properties"]["hint"]["description"]
    return "schemas/Error/hint: no description"


def a_property_deep_inside_is_not_described(contract):
    shape = {"type": "object", "additionalProperties": False, "properties": {"name": {}}}
    contract["components"]["schemas"]["Error"]["properties"]["hint"] |= {"oneOf": [shape]}
    return "schemas/Error/hint/oneOf/0/name: no description"


@pytest.mark.parametrize(
    ("group", "name"),
    [
        ("parameters", "Limit"),
        ("headers", "ETag"),
        ("requestBodies", "SourceRequest"),
        ("securitySchemes", "headerKey"),
        ("schemas", "Diff"),
    ],
)
def test_a_component_without_a_description_is_missed(group, name):
    contract = load_contract()
    del contract["components"][group][name]["description"]

    assert f"{group}/{name}: no description" in list(violations(contract))


def a_body_takes_anything(contract):
    del contract["components"]["schemas"]["SourceRequest"]["additionalProperties"]
    return "schemas/SourceRequest: an object in a request says additionalProperties: false"


def a_response_is_closed(contract):
    contract["components"]["schemas"]["Snapshot"]["additionalProperties"] = False
    return "schemas/Snapshot: is closed, so that no later version could add a property"


def a_response_is_composed(contract):
    page = contract["components"]["schemas"]["SourcePage"]
    page["properties"]["items"]["items"] = {"allOf": [page["properties"]["items"]["items"]]}
    return "schemas/SourcePage/items/items: allOf cannot be closed part by part"


def a_list_of_a_request_may_grow(contract):
    selected = contract["components"]["parameters"]["Selected"]["schema"]
    selected["x-extensible-enum"] = selected.pop("enum")
    return "parameters/Selected: a request has enum, not x-extensible-enum"


def a_list_that_may_grow_is_a_list_that_may_not(contract):
    kind = contract["components"]["schemas"]["Kind"]
    kind["enum"] = kind["x-extensible-enum"]
    return "schemas/Kind: x-extensible-enum stands at a text, and without enum"


def a_list_that_may_grow_has_a_value_twice(contract):
    contract["components"]["schemas"]["Kind"]["x-extensible-enum"] *= 2
    return "schemas/Kind: x-extensible-enum lists different values"


def a_schema_demands_what_nobody_checks(contract):
    contract["components"]["schemas"]["Diff"]["minProperties"] = 3
    return "schemas/Diff: nothing checks minProperties"


def a_header_demands_what_nobody_checks(contract):
    contract["components"]["headers"]["RetryAfter"]["schema"]["exclusiveMinimum"] = True
    return "headers/RetryAfter: nothing checks exclusiveMinimum"


def an_enumeration_has_a_word_of_its_own(contract):
    contract["components"]["schemas"]["Health"]["enum"].append("splendid")
    return "schemas/Health: the vocabulary has healthy, ok, degraded, problematic, unknown"


def a_slug_may_have_a_comma(contract):
    del contract["components"]["schemas"]["Slug"]["pattern"]
    joined = "acme.compute,acme.storage,acme.compute,acme.storage"
    return f"GET /entries: parameter sources: {joined} would be one item"


def a_list_of_one_may_have_a_comma(contract):
    sources = contract["components"]["parameters"]["Sources"]
    sources["schema"]["items"], sources["example"] = {"type": "string"}, ["acme.mail"]
    return "GET /entries: parameter sources: acme.mail,acme.mail would be one item"


def a_path_has_a_parameter(contract):
    contract["paths"]["/diffs/{source}"] = contract["paths"].pop("/diffs")
    return "/diffs/{source}: a path has no parameters"


def a_list_is_written_with_commas_only(contract):
    contract["components"]["parameters"]["Sources"]["explode"] = False
    return "GET /entries: parameter sources: a list is written with style: form and explode: true"


def a_pattern_begins_in_the_middle(contract):
    entry = contract["components"]["schemas"]["ChangelogEntry"]
    entry["properties"]["published_at"]["pattern"] = "Z$"
    return "schemas/ChangelogEntry/published_at: the pattern does not begin with ^"


def a_pattern_of_a_header_begins_in_the_middle(contract):
    contract["components"]["headers"]["ETag"]["schema"]["pattern"] = '"$'
    return "headers/ETag: the pattern does not begin with ^"


def a_number_has_no_end(contract):
    del contract["components"]["parameters"]["Offset"]["schema"]["maximum"]
    return "GET /latest: parameter offset: no maximum"


def a_text_has_no_end(contract):
    del contract["components"]["parameters"]["Search"]["schema"]["maxLength"]
    return "GET /sources: parameter q: no maxLength"


def a_list_has_no_end(contract):
    del contract["components"]["parameters"]["Sources"]["schema"]["maxItems"]
    return "GET /entries: parameter sources: no maxItems"


def a_parameter_has_no_example(contract):
    del contract["components"]["parameters"]["Source"]["example"]
    return "GET /diffs: parameter source: no example"


def a_parameter_has_a_wrong_example(contract):
    contract["components"]["parameters"]["Limit"]["example"] = 500
    return "parameters/Limit: the example is not valid"


def a_header_has_a_wrong_example(contract):
    contract["components"]["headers"]["ETag"]["example"] = 'W/"weak"'
    return "headers/ETag: the example is not valid"


def a_request_has_a_wrong_example(contract):
    content = contract["components"]["requestBodies"]["SourceRequest"]["content"]
    content["application/json"]["examples"]["only_the_url"]["value"]["url"] = "acme.example"
    return "requestBodies/SourceRequest/application/json/only_the_url: the example is not valid"


def a_schema_has_a_wrong_example(contract):
    contract["components"]["schemas"]["Slug"]["example"] = "acme"
    return "schemas/Slug: the example is not valid"


CAUSES = [
    a_summary_is_missing,
    a_tag_is_missing,
    an_operation_id_is_in_camel_case,
    two_operations_share_an_id,
    a_response_is_spelled_out_at_its_operation,
    an_operation_has_a_catch_all_answer,
    an_error_has_a_shape_of_its_own,
    an_error_has_no_example,
    an_example_says_two_things_at_once,
    an_example_has_an_unknown_code,
    a_property_is_not_described,
    a_property_deep_inside_is_not_described,
    a_body_takes_anything,
    a_response_is_closed,
    a_response_is_composed,
    a_list_of_a_request_may_grow,
    a_list_that_may_grow_is_a_list_that_may_not,
    a_list_that_may_grow_has_a_value_twice,
    a_schema_demands_what_nobody_checks,
    a_header_demands_what_nobody_checks,
    an_enumeration_has_a_word_of_its_own,
    a_slug_may_have_a_comma,
    a_list_of_one_may_have_a_comma,
    a_path_has_a_parameter,
    a_list_is_written_with_commas_only,
    a_pattern_begins_in_the_middle,
    a_pattern_of_a_header_begins_in_the_middle,
    a_number_has_no_end,
    a_text_has_no_end,
    a_list_has_no_end,
    a_parameter_has_no_example,
    a_parameter_has_a_wrong_example,
    a_header_has_a_wrong_example,
    a_request_has_a_wrong_example,
    a_schema_has_a_wrong_example,
]


@cache
def told_of(cause):
    """Return what the cause should be told as, and what each rule tells of it."""
    contract = load_contract()
    sentence = cause(contract)
    return sentence, {rule: list(rule(contract)) for rule in RULES}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_broken_rule_is_told(cause):
    sentence, told = told_of(cause)

    assert any(fault.startswith(sentence) for faults in told.values() for fault in faults)


def test_every_rule_notices_something():
    noticed = {rule for cause in CAUSES for rule, faults in told_of(cause)[1].items() if faults}

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
