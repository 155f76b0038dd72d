"""Documents that cannot be compared, and how much the tables of differences hold."""

from pathlib import Path

import pytest
import yaml

from conformance.evolution import reasons_against
from openapi.contract import load_contract

TABLES = sorted((Path(__file__).parent / "tables").glob("*.yaml"))


def document(**more):
    return {"openapi": "3.0.3", "info": {"version": "1.0.0"}, "paths": {}, **more}


@pytest.mark.parametrize(
    "root",
    [
        document(),
        document(openapi="3.1.0"),
        document(components={"schemas": {"A": {"$ref": "#/components/schemas/B"}, "B": True}}),
        document(components={"schemas": {"A": {"example": {"$ref": "#/nowhere"}}}}),
        load_contract(),
    ],
)
def test_what_can_be_read_can_be_compared(root):
    assert reasons_against(root) == []


@pytest.mark.parametrize(
    ("root", "reason"),
    [
        ({"swagger": "2.0", "paths": {}}, "It is not written in OpenAPI 3.0 or 3.1."),
        (document(openapi=3.0), "It is not written in OpenAPI 3.0 or 3.1."),
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
    ],
)
def test_what_cannot_be_read_is_not_compared(root, reason):
    assert reasons_against(root) == [reason]


@pytest.mark.parametrize("direction", ["there", "back"])
def test_more_than_120_differences_are_told_in_each_direction(direction):
    rows = [row for file in TABLES for row in yaml.safe_load(file.read_text(encoding="utf-8"))]
    told = [row["name"] for row in rows if _somewhere(row, direction)]

    assert len(set(told)) >= 120


def _somewhere(row, direction):
    """Whether a row expects anything there or back, in requests or in responses."""
    sides = [row, row.get("request") or {}, row.get("response") or {}]
    return any(side.get(direction) for side in sides if isinstance(side, dict))
