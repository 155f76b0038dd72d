"""Counts, texts cut to a length, and links."""

from openapi.text import counted, cut, web_link


def test_one_is_one_and_all_else_many():
    found = [counted(number, "source") for number in (0, 1, 2)]
    assert found == ["0 sources", "1 source", "2 sources"]
    assert counted(2048, "entry", "entries") == "2048 entries"


def test_a_text_is_one_line_cut_after_a_word():
    assert cut("one\n two three", 9) == "one two …"
    assert cut("onetwothree", 3) == "one …"


def test_an_address_that_cannot_be_read_is_no_link():
    assert web_link("https://[") is None
    assert web_link("HTTP://acme.example") == "HTTP://acme.example"
