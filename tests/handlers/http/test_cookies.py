"""Cookies are read by their alphabet, never unquoted, and only plain ones are passed on."""

import pytest

from handlers.http.auth import cookies_sent, with_plain_cookies


def read(*values):
    return cookies_sent([(b"cookie", value) for value in values])


def test_headers_are_read_as_one_and_the_first_cookie_of_a_name_counts():
    sent = b"theme=dark; session=ab_c-1.2;session=second", b"session=third; lang=en"

    assert read(*sent) == {"theme": "dark", "session": "ab_c-1.2", "lang": "en"}


@pytest.mark.parametrize(
    "broken",
    [
        b"session=a b",
        b"session=\xff",
        b"session",
        b"=session",
        b"session\x00=a",
        b"session=a\nb",
        b";;;",
        b'session="' + b"\\" * 15_500 + b'"',
    ],
)
def test_a_malformed_cookie_is_ignored_and_costs_no_other(broken):
    assert read(broken + b"; other=1") == {"other": "1"}


def test_the_rest_of_the_headers_is_passed_on_as_it_was_sent():
    sent = [(b"cookie", b'a=1; b="2"'), (b"host", b"acme.example"), (b"cookie", b"c=3")]

    assert with_plain_cookies(sent) == [(b"host", b"acme.example"), (b"cookie", b"a=1; c=3")]


def test_a_request_without_a_plain_cookie_is_passed_on_without_any():
    assert with_plain_cookies([(b"cookie", b'a="1"')]) == []
