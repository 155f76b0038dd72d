"""Documents that cannot be compared, and how much the tables of differences hold."""

from pathlib import Path

import pytest
import yaml

from contract_diff.readable import reasons_against, reasons_not_to_compare

TABLES = sorted((Path(__file__).parent / "tables").glob("*.yaml"))


def document(**more):
    return {"openapi": "3.0.3", "info": {"title": "A", "version": "1.0.0"}, "paths": {}, **more}


@pytest.mark.parametrize(
    "root",
    [
        document(),
        document(components={"schemas": {"A": {"$ref": "#/components/schemas/B"}, "B": True}}),
        document(components={"schemas": {"A": {"example": {"$ref": "#/nowhere"}}}}),
    ],
)
def test_what_can_be_read_can_be_compared(root):
    assert reasons_against(root) == []


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        (
            {"swagger": "2.0", "paths": {}},
            "It is written in Swagger 2.0; only OpenAPI 3.0 is read.",
        ),
        ({"paths": {}}, "It names no version of OpenAPI; only OpenAPI 3.0 is read."),
        (document(openapi=3.0), "It is written in OpenAPI 3.0; only 3.0 is read."),
        (document(openapi="3.1.0"), "It is written in OpenAPI 3.1.0; only 3.0 is read."),
        (document(paths=["/a"]), "Its paths are no object."),
        (
            document(paths={"/a": {"get": {"responses": {"200": {"$ref": "#/components/A"}}}}}),
            "#/components/A leads nowhere.",
        ),
        (
            document(components={"schemas": {"A": {"$ref": "#/components/schemas/A"}}}),
            "#/components/schemas/A leads back to itself.",
        ),
        (
            document(components={"schemas": {"A": {"$ref": "other.yaml#/A"}}}),
            "other.yaml#/A leads out of the document; bundle it into one file first.",
        ),
        *(
            (
                document(components={"schemas": {"A": within({"$ref": "#/components/schemas/A"})}}),
                "#/components/schemas/A leads back to itself.",
            )
            for within in (
                lambda itself: {"allOf": [{"type": "object"}, itself]},
                lambda itself: {"anyOf": [itself]},
                lambda itself: {"oneOf": [{"type": "string"}, {"not": itself}]},
            )
        ),
    ],
)
def test_what_cannot_be_read_is_not_compared(root, reason):
    assert reasons_against(root) == [reason]


def test_a_schema_may_hold_itself_in_a_property_or_an_item():
    itself = {"$ref": "#/components/schemas/Tree"}
    tree = {
        "type": "object",
        "properties": {"first": itself, "all": {"type": "array", "items": itself}},
    }

    assert reasons_not_to_compare(document(components={"schemas": {"Tree": tree}})) == []


@pytest.mark.parametrize(
    ("paths", "reason"),
    [
        ({"/a": [1]}, 'paths//a: [1] is not of type "object"'),
        ({"/a": {"get": {"responses": 5}}}, 'paths//a/get/responses: 5 is not of type "object"'),
        ({"/a": {"get": {}}}, 'paths//a/get: "responses" is a required property'),
    ],
)
def test_what_is_not_openapi_is_not_compared_because_it_would_be_passed_over(paths, reason):
    assert reasons_not_to_compare(document(paths=paths)) == [reason]


def test_a_status_may_be_a_number_as_yaml_reads_it():
    paths = {"/a": {"get": {"responses": {200: {"description": "Fine."}}}}}

    assert reasons_not_to_compare(document(paths=paths)) == []


@pytest.mark.parametrize("direction", ["there", "back"])
def test_more_than_120_differences_are_told_in_each_direction(direction):
    rows = [row for file in TABLES for row in yaml.safe_load(file.read_text(encoding="utf-8"))]
    told = [row["name"] for row in rows if _somewhere(row, direction)]

    assert len(set(told)) >= 120


def _somewhere(row, direction):
    """Whether a row expects anything there or back, in requests or in responses."""
    sides = [row, row.get("request") or {}, row.get("response") or {}]
    return any(side.get(direction) for side in sides if isinstance(side, dict))
