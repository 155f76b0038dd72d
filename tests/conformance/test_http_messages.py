"""How a request is written down, and that no key is."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.http_messages import Request, Response, altered_keys, redacted

KEY = "cw_abcdefghijkl_mnop"


@given(st.text(), st.text().filter(lambda value: "\0" not in value))
def test_a_shell_understands_a_command_as_it_was_meant(path, value):
    headers = {"A": value, "X-Api-Key": KEY}
    request = Request("POST", f"http://acme.example/{path}", headers, b'{"a": "b"}')

    words = shlex.split(redacted(request.curl(), [KEY]))

    if not set("$`") & set(value):  # escaped for a shell, which shlex is not
        assert words[:5] == ["curl", "-i", "-X", "POST", request.url]
        assert words[5:] == [
            "-H", f"A: {value}", "-H", "X-Api-Key: $CHANGEWIRE_API_KEY",
            "--data-binary", '{"a": "b"}',
        ]  # fmt: skip


@pytest.mark.parametrize("secret", [KEY, *altered_keys(KEY)])
def test_no_key_is_left_nor_what_was_made_of_it(secret):
    shown = "$CHANGEWIRE_API_KEY" if secret == KEY else "$WRONG_KEY"

    assert redacted(f"-H 'A: {secret}' {secret}", [KEY, ""]) == f"-H 'A: {shown}' {shown}"


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b'{"items": 1}', b'{"items": [1]}', b"null"])
def test_a_body_that_is_no_page_has_no_items(body):
    answer = Response(Request("GET", "/"), 200, {}, body)

    assert answer.items == []
    assert answer.field("total") is None


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (b'{"total": 50.0}', 50),
        (b'{"total": 5e1}', 50),
        (b'{"total": 50.5}', 50.5),
        (b'{"total": 1e999}', float("inf")),
    ],
)
def test_a_number_without_a_fraction_is_an_integer(body, read):
    total = Response(Request("GET", "http://acme.example/"), 200, {}, body).field("total")

    assert (total, type(total)) == (read, type(read))
