"""An answer goes out only if the contract promises it."""

import json

import pytest

from openapi.components import component_violations
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


def a_field_is_missing(page):
    del page["items"][0]["title"]
    return "title is missing."


def a_field_has_another_type(page):
    page["total"] = "1"
    return "total must be a whole number."


def a_feed_address_slips_out(page):
    page["items"][0]["feedUrl"] = "https://acme.example/feed"
    return "feedUrl is not a field of item 1 of items."


def a_required_field_is_null(page):
    page["items"][0]["title"] = None
    return "items/0/title must be text."


def a_time_has_no_offset(page):
    page["items"][0]["published_at"] = "2026-11-20T09:30:00"
    return (
        "items/0/published_at must be a date and time with an offset such as 2026-11-01T00:00:00Z."
    )


def a_time_is_not_in_utc(page):
    page["items"][0]["published_at"] = "2026-11-20T09:30:00+01:00"
    return "items/0/published_at has characters it must not have."


def an_address_is_relative(page):
    page["items"][0]["url"] = "/releases"
    return "items/0/url must be a complete address such as https://acme.example/changelog."


def a_plan_is_unknown(page):
    page["plan"] = "gold"
    return "plan must be free, starter or all."


def a_page_is_too_large(page):
    page["items"] *= 101
    return "items must have at most 100 items."


def a_tag_is_a_number(page):
    page["items"][0]["tags"] = ["cloud", 5]
    return "item 2 of items/0/tags must be text."


def the_body_is_a_list(page):
    page.clear()
    return "plan is missing."


@pytest.mark.parametrize(
    "cause",
    [
        a_field_is_missing,
        a_field_has_another_type,
        a_feed_address_slips_out,
        a_required_field_is_null,
        a_time_has_no_offset,
        a_time_is_not_in_utc,
        an_address_is_relative,
        a_plan_is_unknown,
        a_page_is_too_large,
        a_tag_is_a_number,
        the_body_is_a_list,
    ],
)
def test_an_answer_that_breaks_the_contract_is_held_back(cause):
    page = json.loads(json.dumps(example("Entries", "page")))
    sentence = cause(page)

    assert sentences("list_entries", 200, page)[0] == sentence


@pytest.mark.parametrize("name", ["homepage", "lastUpdatedAt", "lastFetchedAt", "healthMessage"])
def test_what_a_source_may_lack_may_be_null(name):
    page = example("Sources", "page")
    page = {**page, "items": [page["items"][0] | {name: None}]}

    assert sentences("list_sources", 200, page) == []


def test_the_raw_object_may_have_any_keys():
    page = example("Entries", "page")
    page = {**page, "items": [page["items"][0] | {"raw": {"a": [{"b": None}], "c": 1.5}}]}

    assert sentences("list_entries", 200, page) == []


def test_a_sample_of_six_is_held_back():
    sample = example("Sources", "sample")
    sample = {**sample, "items": sample["items"] * 6}

    assert sentences("list_sources", 200, sample) == ["items must have at most 5 items."]


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


def test_seconds_to_wait_are_a_number():
    error = example("RateLimited", "rate_limited")

    assert sentences("request_source", 429, error, JSON | {"retry-after": "soon"}) == [
        "retry-after must be a whole number."
    ]


def test_where_nothing_is_the_answer_is_the_error_object():
    error = example("Unauthorized", "unauthorized") | {"code": "not_found"}

    assert sentences(None, 404, error) == []
    assert sentences(None, 404, {"title": "Not Found"}) != []


def test_an_entry_can_be_checked_when_it_is_written():
    entry = example("Entries", "page")["items"][0]

    assert component_violations("ChangelogEntry", entry) == ()
    (violation,) = component_violations("ChangelogEntry", entry | {"url": "https://acme.example/ü"})
    assert violation.where == "url"
