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
    violations = CHECKS.response(operation, status, headers, json.dumps(value).encode())
    return [violation.sentence for violation in violations]


def test_every_example_is_an_answer_that_may_go_out():
    headers = JSON | {"www-authenticate": "Bearer", "retry-after": "42", "etag": '"a"'}
    for operation in load_operations():
        responses = CONTRACT["paths"][operation.path][operation.method.lower()]["responses"]
        for status, node in responses.items():
            name = node["$ref"].rpartition("/")[2]
            content = CONTRACT["components"]["responses"][name].get("content", {})
            for case in content.get("application/json", {}).get("examples", {}).values():
                assert not sentences(operation.operation_id, int(status), case["value"], headers)


@pytest.mark.parametrize(
    ("of_page", "of_item", "sentence"),
    [
        ({}, {"title": None}, "items/0/title must be text."),
        ({"total": "1"}, {}, "total must be a whole number."),
        ({}, {"feedUrl": "https://a.example/"}, "feedUrl is not a field of item 1 of items."),
        (
            {},
            {"published_at": "2026-11-20T09:30:00"},
            "items/0/published_at must be a date and time with an offset such as "
            "2026-11-01T00:00:00Z.",
        ),
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


def test_an_answer_that_lacks_a_field_is_held_back():
    assert sentences("list_entries", 200, {})[0] == "plan is missing."


def test_a_value_of_several_shapes_is_held_against_the_one_it_comes_nearest_to():
    page = example("Sources", "page")
    nameless = {name: value for name, value in page["items"][0].items() if name != "name"}

    assert sentences("list_sources", 200, {**page, "items": [nameless]}) == ["name is missing."]


def test_a_public_summary_of_more_than_500_characters_is_held_back():
    page = example("LatestEntries", "page")
    page = {**page, "items": [page["items"][0] | {"summary": "a" * 501}]}

    assert sentences("list_latest", 200, page) == [
        "items/0/summary must have at most 500 characters."
    ]


def test_a_status_that_is_not_listed_is_held_back():
    assert sentences("list_latest", 402, {}) == ["list_latest does not answer 402."]


def test_another_media_type_is_held_back():
    page = example("Entries", "page")

    assert sentences("list_entries", 200, page, {"content-type": "application/problem+json"}) == [
        "The media type of a 200 must be application/json."
    ]


def test_a_body_that_is_not_json_is_held_back():
    (violation,) = CHECKS.response("list_entries", 200, JSON, b"NaN")

    assert violation.sentence.startswith("The body is not JSON: ")


def test_an_unchanged_answer_has_no_body():
    assert CHECKS.response("list_latest", 304, {"etag": '"a"'}, b"") == ()
    (violation,) = CHECKS.response("list_latest", 304, {"etag": '"a"'}, b"{}")

    assert violation.sentence == "A 304 has no body."


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({"etag": 'W/"weak"'}, "etag has characters it must not have."),
        (
            {"cache-control": "public"},
            "cache-control must be public, max-age=60 or private, no-cache.",
        ),
    ],
)
def test_a_header_that_breaks_the_contract_is_held_back(headers, sentence):
    page = example("Entries", "page")

    assert sentences("list_entries", 200, page, JSON | headers) == [sentence]


def test_a_refused_key_is_told_how_to_authenticate():
    error = example("Unauthorized", "unauthorized")

    assert sentences("list_entries", 401, error) == ["www-authenticate is missing."]


def test_where_nothing_is_the_answer_is_the_error_object():
    error = example("Unauthorized", "unauthorized") | {"code": "not_found"}

    assert sentences(None, 404, error) == []
    assert sentences(None, 404, {"title": "Not Found"}) != []
