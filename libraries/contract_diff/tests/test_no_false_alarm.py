"""Changes that look like more than they are, and one that looks like less."""

import pytest

from contract_diff import compare

BODY = ["paths", "/things", "post", "requestBody", "content"]
OBJECT = {"schema": {"type": "object"}}


def kinds(changes, severity):
    return {change.kind for change in changes if change.severity == severity}


def test_a_required_property_that_loses_read_only_breaks(contract_around):
    old, new = (
        contract_around(
            "request-property",
            {"type": "object", "required": ["id"], "properties": {"id": {"readOnly": read_only}}},
        )
        for read_only in (True, False)
    )

    assert kinds(compare(old, new), "breaking") == {"request-property-became-required"}
    assert kinds(compare(new, old), "breaking") == set()


@pytest.mark.parametrize(
    ("server", "bare"), [("/api/v1", "/"), ("https://a.example/api/v1", "https://a.example")]
)
def test_a_path_that_moves_between_server_and_paths_is_no_change(contract, server, bare):
    paths = contract(["info"], {"version": "1.0.0"})["paths"]
    old = contract(["servers"], [{"url": server}])
    new = contract(["servers"], [{"url": bare}])
    new["paths"] = {f"/api/v1{path}": item for path, item in paths.items()}

    assert compare(old, new) == []
    assert compare(new, old) == []


def test_a_base_path_that_is_another_still_breaks(contract):
    old = contract(["servers"], [{"url": "/api/v1"}])
    new = contract(["servers"], [{"url": "/api/v2"}])

    assert kinds(compare(old, new), "breaking") == {"server-base-path-removed"}


@pytest.mark.parametrize("before", ["integer", "number", "boolean"])
def test_a_number_in_a_query_that_becomes_any_text_is_wider(contract_around, before):
    old = contract_around("request-parameter", {"type": before})
    new = contract_around("request-parameter", {"type": "string"})

    assert kinds(compare(old, new), "info") == {"request-parameter-type-widened"}
    assert kinds(compare(old, new), "breaking") == set()
    assert kinds(compare(new, old), "breaking") == {"request-parameter-type-changed"}


@pytest.mark.parametrize("limit", [{"maxLength": 1}, {"enum": ["a"]}, {"pattern": "^a"}])
def test_a_number_that_becomes_some_text_breaks(contract_around, limit):
    old = contract_around("request-parameter", {"type": "integer"})
    new = contract_around("request-parameter", {"type": "string", **limit})

    assert kinds(compare(old, new), "breaking") == {"request-parameter-type-changed"}


def test_a_number_in_a_body_that_becomes_text_breaks(contract_around):
    old = contract_around("request-property", {"type": "integer"})
    new = contract_around("request-property", {"type": "string"})

    assert kinds(compare(old, new), "breaking") == {"request-property-type-changed"}


@pytest.mark.parametrize("wider", ["application/*", "*/*"])
def test_a_wider_media_type_of_a_body_breaks_nothing(contract, wider):
    old = contract(BODY, {"application/json": OBJECT})
    new = contract(BODY, {wider: OBJECT})

    assert kinds(compare(old, new), "breaking") == set()
    assert kinds(compare(old, new), "info") >= {"request-body-media-type-widened"}
    assert kinds(compare(new, old), "breaking") == {"request-body-media-type-removed"}


def test_a_wider_media_type_with_a_narrower_schema_breaks(contract):
    old = contract(BODY, {"application/json": OBJECT})
    new = contract(BODY, {"*/*": {"schema": {"type": "object", "required": ["name"]}}})

    assert "request-property-became-required" in kinds(compare(old, new), "breaking")


SPLIT = {"oneOf": [{"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b", "c"]}]}


@pytest.mark.parametrize("place", ["request-property", "response-property", "request-parameter"])
def test_a_list_of_values_split_into_several_is_no_change(contract_around, place):
    old = contract_around(place, {"type": "string", "enum": ["a", "b", "c"]})
    new = contract_around(place, SPLIT)

    assert compare(old, new) == []
    assert compare(new, old) == []


def test_a_value_that_is_lost_in_the_split_breaks_a_request(contract_around):
    old = contract_around("request-property", {"type": "string", "enum": ["a", "b", "c", "d"]})

    changes = compare(old, contract_around("request-property", SPLIT))

    assert kinds(changes, "breaking") == {"request-property-enum-value-removed"}


def test_values_that_two_variants_share_are_no_list(contract_around):
    old = contract_around("request-property", {"type": "string", "enum": ["a", "b"]})
    new = contract_around("request-property", {"oneOf": [{"enum": ["a", "b"]}, {"enum": ["b"]}]})

    assert kinds(compare(old, new), "breaking") != set()


def test_a_whole_number_that_is_also_a_number_is_no_change(contract_around):
    old = contract_around("request-property", {"type": "integer"})
    new = contract_around("request-property", {"allOf": [{"type": "number"}, {"type": "integer"}]})

    assert compare(old, new) == []


def test_a_security_scheme_under_another_name_takes_no_requirement_away(contract):
    old = contract(["security"], [{"login": []}])
    new = contract(["security"], [{"oauth": []}])
    schemes = new["components"]["securitySchemes"]
    schemes["oauth"] = schemes.pop("login")

    assert {change.kind for change in compare(old, new)} == {"security-scheme-renamed"}


def test_a_property_may_be_removed_on_the_day_of_its_sunset(contract_around, today):
    ending = {"deprecated": True, "x-sunset": str(today)}
    old = contract_around("response-property", {"properties": {"name": ending}})
    new = contract_around("response-property", {"properties": {}})

    assert kinds(compare(old, new, today=today), "breaking") == set()
