"""Single schemas of the contract say what the whole validator says."""

import pytest

from openapi.components import component_violations
from openapi.validation import contract_validator

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
def test_violations_are_those_of_the_whole_validator(entry):
    found = component_violations("ChangelogEntry", entry)

    assert found
    assert found == contract_validator().schema("ChangelogEntry", entry)
