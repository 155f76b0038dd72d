"""Every difference of two schemas, in requests and in responses, in both directions."""

from pathlib import Path

import pytest
import yaml

from contract_diff import compare

TABLES = Path(__file__).parent / "tables"
VALUES = yaml.safe_load((TABLES / "values.yaml").read_text(encoding="utf-8"))
OBJECTS = yaml.safe_load((TABLES / "objects.yaml").read_text(encoding="utf-8"))
PLACES = ["request-parameter", "request-property", "response-property", "response-header"]


def expected(row, direction, place, subject):
    """The kinds and severities that a row promises for one place."""
    promised = row[direction]
    side = place.partition("-")[0]
    if isinstance(promised, dict):
        promised = promised[side] and [promised[side][0]] + [promised[side][1]] * 2
    if promised is None:
        return set()
    what, in_request, in_response = promised
    return {(f"{subject}-{what}", in_request if side == "request" else in_response)}


def found(changes):
    return {
        (change.kind, change.severity.value)
        for change in changes
        if change.kind != "version-not-raised"
    }


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", VALUES, ids=lambda row: row["name"])
def test_a_difference_of_values_is_told_with_its_severity(row, place, contract_around):
    old, new = contract_around(place, row["old"]), contract_around(place, row["new"])

    assert found(compare(old, new)) == expected(row, "there", place, place)
    assert found(compare(new, old)) == expected(row, "back", place, place)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", OBJECTS, ids=lambda row: row["name"])
def test_a_difference_below_a_value_is_told_with_its_severity(row, place, contract_around, today):
    old, new = contract_around(place, row["old"]), contract_around(place, row["new"])
    subject = place if place.endswith("-property") else f"{place}-property"

    assert found(compare(old, new, today=today)) == expected(row, "there", place, subject)
    assert found(compare(new, old, today=today)) == expected(row, "back", place, subject)


def test_a_removed_property_without_a_date_of_today_goes_before_its_sunset(contract_around):
    ending = {"deprecated": True, "x-sunset": "2001-01-01"}
    old = contract_around("response-property", {"properties": {"name": ending}})
    new = contract_around("response-property", {"properties": {}})

    [change] = (
        candidate for candidate in compare(old, new) if candidate.kind.startswith("response")
    )

    assert change.kind == "response-property-removed-before-sunset"


def test_the_place_and_the_sentence_lead_to_the_change(contract_around):
    old = contract_around("response-property", {"type": "array", "items": {"maxLength": 9}})
    new = contract_around("response-property", {"type": "array", "items": {"maxLength": 10}})

    [change] = (
        candidate for candidate in compare(old, new) if candidate.kind.startswith("response")
    )

    assert change.place == "GET /things › 200 › application/json › value[]"
    assert change.sentence == (
        "Each item of the property value has the greatest length 10 instead of 9."
    )
