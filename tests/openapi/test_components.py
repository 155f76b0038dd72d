"""Single schemas of the contract say what the whole validator says."""

import orjson
import pytest

from openapi.validation import component_violations, contract_validator

ENTRY = {
    "id": "1",
    "source": "acme.mail",
    "vendor": "acme",
    "published_at": "2026-11-21T09:00:00Z",
    "title": "Release 1",
    "url": None,
    "summary": None,
    "raw": {},
    "tags": [],
}


def test_what_follows_the_contract_has_no_violations():
    assert component_violations("ChangelogEntry", ENTRY) == ()


@pytest.mark.parametrize(
    "entry", [{}, [], ENTRY | {"title": 1}, ENTRY | {"more": 1}, ENTRY | {"tags": "a"}]
)
def test_violations_are_those_of_an_answer_with_the_entry(entry):
    page = {"plan": "all", "total": 1, "limit": 50, "offset": 0, "items": [entry]}
    headers = {"content-type": "application/json"}

    faults = component_violations("ChangelogEntry", entry)
    of_answer = contract_validator().response("list_entries", 200, headers, orjson.dumps(page))

    assert faults
    assert {fault.where.rpartition("/")[2] for fault in of_answer} == (
        {fault.where or "0" for fault in faults}
    )
