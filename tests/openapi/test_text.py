"""Counts, texts cut to a length, and links."""

import pytest

from openapi.text import counted, cut, web_link


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


def test_a_text_is_one_line_cut_after_a_word():
    assert cut("one\n two three", 9) == "one two …"
    assert cut("onetwothree", 3) == "one …"
    assert cut("by 👩\u200d💻") == "by 👩\u200d💻"


def test_an_address_that_cannot_be_read_is_no_link():
    assert web_link("https://[") is None
    assert web_link("HTTP://acme.example") == "HTTP://acme.example"
