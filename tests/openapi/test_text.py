"""Counts are said as people say them."""

import pytest

from openapi.text import counted


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [
        (0, ("source",), "0 sources"),
        (1, ("source",), "1 source"),
        (2, ("source",), "2 sources"),
        (1, ("entry", "entries"), "1 entry"),
        (2048, ("entry", "entries"), "2048 entries"),
    ],
)
def test_one_is_one_and_all_else_many(number, words, text):
    assert counted(number, *words) == text
