"""Changes as text, JSON and Markdown."""

import json

import pytest

from contract_diff import ContractChange, Severity, as_json, as_markdown, as_text

LOST = [
    ContractChange(
        "link-removed", Severity.WARNING, f"GET /{name} › link next", "The link was removed."
    )
    for name in "abcdefg"
]
BROKEN = ContractChange(
    "x-removed", Severity.BREAKING, "GET /a", "The *bold* <b> operation was removed."
)


def test_text_says_a_sentence_once_with_its_places_and_counts():
    assert as_text([BROKEN, *LOST]).splitlines() == [
        "BREAKING The *bold* <b> operation was removed. [x-removed]",
        "         at GET /a",
        "WARNING  The link was removed. [link-removed]",
        "         at GET /a › link next",
        "         at GET /b › link next",
        "         at GET /c › link next",
        "         at GET /d › link next",
        "         at GET /e › link next",
        "         at 2 more places",
        "8 changes: 1 breaking, 7 warning, 0 info",
    ]


def test_json_lists_every_change():
    document = json.loads(as_json([BROKEN, *LOST]))

    assert (document["breaking"], document["warning"], document["info"]) == (1, 7, 0)
    assert document["changes"][1] == {
        "kind": "link-removed",
        "severity": "warning",
        "place": "GET /a › link next",
        "sentence": "The link was removed.",
    }
    assert len(document["changes"]) == 8


def test_markdown_has_a_section_for_each_severity_and_no_markup_of_the_contract():
    assert as_markdown([BROKEN, LOST[0]]).splitlines() == [
        "### Breaking changes",
        "",
        "- The \\*bold\\* \\<b\\> operation was removed. (`GET /a`)",
        "",
        "### Changes to look at",
        "",
        "- The link was removed. (`GET /a › link next`)",
    ]


@pytest.mark.parametrize("write", [as_text, as_markdown])
def test_no_change_is_said_in_words(write):
    assert write([]) == "The two contracts do not differ.\n"


@pytest.mark.parametrize("write", [as_text, as_json, as_markdown])
def test_what_a_contract_is_called_neither_controls_a_terminal_nor_adds_a_line(write):
    odd = ContractChange(
        "x-removed", Severity.INFO, "GET /\x1b[2J\n# A", "The \x9b31m\n# b was removed."
    )
    even = ContractChange("x-removed", Severity.INFO, "GET / # A", "The # b was removed.")

    assert write([odd]).replace("\n", "").isprintable()
    assert len(write([odd]).splitlines()) == len(write([even]).splitlines())
