"""The published contract is open; what the service holds itself to is closed by rule."""

import pytest

from openapi.contract import load_contract
from openapi.schemas import compiled
from openapi.strictness import strict

PUBLISHED, STRICT = load_contract(), strict(load_contract())
PAGE = {"total": 0, "limit": 5, "offset": 0, "items": []}


@pytest.mark.parametrize(
    ("name", "value", "is_published", "is_strict"),
    [
        ("Error", {"error": "No.", "message": "No.", "code": "not_found", "a": 1}, True, False),
        ("DeadlineKind", "price_change", True, False),
        ("Plan", "another", False, False),
        ("SourceRequest", {"url": "https://acme.example/changelog", "urls": []}, False, False),
        ("SourcePage", PAGE, True, True),
        ("SourcePage", {**PAGE, "sample": True, "hint": "", "agent": ""}, False, False),
    ],
    ids=["field", "listed value", "closed list", "body", "page", "sample"],
)
def test_the_contract_grows_for_others_and_is_closed_at_home(name, value, is_published, is_strict):
    accepted = [
        compiled(contract["components"]["schemas"][name], contract).is_valid(value)
        for contract in (PUBLISHED, STRICT)
    ]

    assert accepted == [is_published, is_strict]


def test_objects_are_closed_however_deep_they_stand():
    deep = {"oneOf": [{"type": "array", "items": {"anyOf": [{"properties": {"a": {}}}]}}]}
    content = {"application/json": {"schema": {"properties": {"b": deep}}}}
    contract = {"components": {"responses": {"A": {"content": content}}}}

    closed = strict(contract)["components"]["responses"]["A"]["content"]["application/json"]
    inner = closed["schema"]["properties"]["b"]["oneOf"][0]["items"]["anyOf"][0]

    assert closed["schema"]["additionalProperties"] is inner["additionalProperties"] is False
    assert "additionalProperties" not in content["application/json"]["schema"]
