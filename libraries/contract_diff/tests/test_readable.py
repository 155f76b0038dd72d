"""Documents that cannot be compared, and how much the tables of differences hold."""

import pytest

from contract_diff.readable import reasons_against, reasons_not_to_compare


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
