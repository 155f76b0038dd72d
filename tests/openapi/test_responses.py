"""An answer goes out only if the contract promises it."""

import json

import pytest

from openapi.contract import load_contract, load_operations
from openapi.validation import contract_validator

CHECKS = contract_validator()
CONTRACT = load_contract()
JSON = {"content-type": "application/json"}


def example(response, name):
    content = CONTRACT["components"]["responses"][response]["content"]["application/json"]
    return content["examples"][name]["value"]


def sentences(operation, status, value, headers=JSON):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return [each.sentence for each in CHECKS.response(operation, status, headers, body)]


def test_every_example_is_an_answer_that_may_go_out():
    headers = JSON | {"www-authenticate": "Bearer", "retry-after": "42", "etag": '"a"'}
    for operation in load_operations():
        responses = CONTRACT["paths"][operation.path][operation.method.lower()]["responses"]
        for status, node in responses.items():
            name = node["$ref"].rpartition("/")[2]
            content = CONTRACT["components"]["responses"][name].get("content", {})
            for case in content.get("application/json", {}).get("examples", {}).values():
                assert not sentences(operation.operation_id, int(status), case["value"], headers)


def test_a_valid_body_is_checked_once_by_its_digest_and_an_invalid_one_each_time():
    page = json.dumps(example("LatestEntries", "page")).encode()
    headers = JSON | {"etag": '"a"'}
    sent = [(b"{}", "a"), (b"{}", "a"), (page, "b"), (b"{}", "b"), (b"{}", "c"), (b"{}", None)]

    wrong = [bool(CHECKS.response("list_latest", 200, headers, *known)) for known in sent]

    assert wrong == [True, True, False, False, True, True]


@pytest.mark.parametrize(
    ("of_page", "of_item", "sentence"),
    [
        ({}, {"title": None}, "items/0/title must be text."),
        ({}, {"feedUrl": "https://a.example/"}, "feedUrl is not a field of item 1 of items."),
        (
            {},
            {"published_at": "2026-11-20T09:30:00+01:00"},
            "items/0/published_at has characters it must not have.",
        ),
        (
            {},
            {"url": "/releases"},
            "items/0/url must be a complete address such as https://acme.example/changelog.",
        ),
        ({"plan": "gold"}, {}, "plan must be free, starter or all."),
        ({"items": [{}] * 101}, {}, "items must have at most 100 items."),
        ({}, {"tags": ["cloud", 5]}, "item 2 of items/0/tags must be text."),
    ],
)
def test_an_answer_that_breaks_the_contract_is_held_back(of_page, of_item, sentence):
    page = example("Entries", "page")
    page = page | {"items": [page["items"][0] | of_item]} | of_page

    assert sentences("list_entries", 200, page)[0] == sentence


def test_a_value_of_several_shapes_is_held_against_the_one_it_comes_nearest_to():
    page = example("Sources", "page")
    nameless = {name: value for name, value in page["items"][0].items() if name != "name"}

    assert sentences("list_sources", 200, {**page, "items": [nameless]}) == ["name is missing."]


PAGE = example("LatestEntries", "page")
LONG = {**PAGE, "items": [PAGE["items"][0] | {"summary": "a" * 501}]}
REFUSED = example("Unauthorized", "unauthorized")
PROBLEM = {"content-type": "application/problem+json"}


@pytest.mark.parametrize(
    ("status", "value", "headers", "sentence"),
    [
        (200, LONG, JSON, "items/0/summary must have at most 500 characters."),
        (402, {}, JSON, "list_latest does not answer 402."),
        (200, PAGE, PROBLEM, "The media type of a 200 must be application/json."),
        (200, b"NaN", JSON, "The body is not JSON: "),
        (304, b"{}", {"etag": '"a"'}, "A 304 has no body."),
        (200, PAGE, JSON | {"etag": 'W/"a"'}, "etag has characters it must not have."),
        (200, PAGE, JSON | {"cache-control": "public"}, "cache-control must be public, max-age"),
        (401, REFUSED, JSON, "www-authenticate is missing."),
    ],
    ids=["length", "status", "type", "syntax", "no body", "header", "choice", "missing header"],
)
def test_a_response_that_breaks_the_contract_is_held_back(status, value, headers, sentence):
    (found,) = sentences("list_latest", status, value, headers)

    assert found.startswith(sentence)


def test_where_nothing_is_the_answer_is_the_error_object():
    assert sentences(None, 404, REFUSED | {"code": "not_found"}) == []
    assert sentences(None, 404, {"title": "Not Found"}) != []
