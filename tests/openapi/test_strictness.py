"""The published contract is open; what the service holds itself to is closed by rule."""

import pytest
from jsonschema import Draft202012Validator

from openapi.contract import load_contract
from openapi.schemas import self_contained
from openapi.strictness import strict, strict_contract

PUBLISHED, STRICT = load_contract(), strict_contract()


def accepts(contract, name, value):
    schema = contract["components"]["schemas"][name]
    return Draft202012Validator(self_contained(schema, contract)).is_valid(value)


def test_a_field_that_nobody_named_is_refused_at_home_only():
    error = {"error": "No.", "message": "No.", "code": "not_found", "feedUrl": "https://a.example/"}

    assert accepts(PUBLISHED, "Error", error)
    assert not accepts(STRICT, "Error", error)


def test_a_value_that_is_not_listed_yet_is_refused_at_home_only():
    assert accepts(PUBLISHED, "DeadlineKind", "price_change")
    assert not accepts(STRICT, "DeadlineKind", "price_change")


@pytest.mark.parametrize("name", ["Plan", "Health", "AdapterType", "Category", "ChangeOp"])
def test_a_list_that_does_not_grow_is_held_by_everybody(name):
    assert not accepts(PUBLISHED, name, "another")


def test_a_body_refuses_what_it_does_not_name_for_everybody():
    body = {"url": "https://acme.example/changelog", "urls": []}

    assert not accepts(PUBLISHED, "SourceRequest", body)


def test_objects_are_closed_however_deep_they_stand():
    deep = {"oneOf": [{"type": "array", "items": {"anyOf": [{"properties": {"a": {}}}]}}]}
    content = {"application/json": {"schema": {"properties": {"b": deep}}}}
    contract = {"components": {"responses": {"A": {"content": content}}}}

    closed = strict(contract)["components"]["responses"]["A"]["content"]["application/json"]
    inner = closed["schema"]["properties"]["b"]["oneOf"][0]["items"]["anyOf"][0]

    assert closed["schema"]["additionalProperties"] is False
    assert inner["additionalProperties"] is False
    assert "additionalProperties" not in content["application/json"]["schema"]


def test_a_sample_without_sources_is_no_page_of_the_catalog():
    page = {"total": 0, "limit": 5, "offset": 0, "items": []}
    sample = {**page, "sample": True, "hint": "Sign up.", "agent": "A sample."}

    assert accepts(PUBLISHED, "SourcePage", page)
    assert accepts(PUBLISHED, "SampleSourcePage", sample)
    assert not accepts(PUBLISHED, "SourcePage", sample)
