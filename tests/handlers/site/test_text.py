"""Vendors' plain text: cut, and what may be linked."""

from handlers.site.text import cut, web_link


def test_a_text_is_one_line_cut_after_a_word():
    assert cut("one\n two three", 9) == "one two …"
    assert cut("onetwothree", 3) == "one …"


def test_an_address_that_cannot_be_read_is_no_link():
    assert web_link("https://[") is None
    assert web_link("HTTP://acme.example") == "HTTP://acme.example"
