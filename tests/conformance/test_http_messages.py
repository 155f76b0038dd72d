"""How a request is written down, and that no key is."""

import os
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.http_messages import Request, Response, altered_keys, redacted

KEY = "cw_abcdefghijkl_mnop"


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Request("GET", "http://acme.example/a"), "curl -i http://acme.example/a"),
        (Request("HEAD", "http://acme.example/"), "curl -i -I http://acme.example/"),
        (
            Request("POST", "http://acme.example/?a=b&c", {"A": "b c"}, b'{"a": "\'"}'),
            "curl -i -X POST 'http://acme.example/?a=b&c' -H 'A: b c' "
            '--data-binary \'{"a": "\'"\'"\'"}\'',
        ),
    ],
)
def test_a_request_is_written_as_a_command(request_, line):
    assert request_.curl() == line


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (f"X-Api-Key: {KEY}", "X-Api-Key: $CHANGEWIRE_API_KEY"),
        (f"-H 'X-Api-Key: {KEY}'", '-H "X-Api-Key: $CHANGEWIRE_API_KEY"'),
        (
            f"-H 'A: b' -H 'X-Api-Key: {KEY}' -H 'Authorization: Bearer {KEY}' 'c'",
            "-H 'A: b' -H \"X-Api-Key: $CHANGEWIRE_API_KEY\" "
            "-H \"Authorization: Bearer $CHANGEWIRE_API_KEY\" 'c'",
        ),
        ("nothing", "nothing"),
    ],
)
def test_a_key_is_replaced_by_a_variable_that_a_shell_fills_in(text, written):
    assert redacted(text, [KEY]) == written


@given(st.lists(st.sampled_from([KEY, "'", '"', " ", "a", f"'{KEY}'"])).map("".join))
def test_no_key_is_left(text):
    assert KEY not in redacted(text, [KEY])


@pytest.mark.parametrize("words", altered_keys(KEY))
def test_a_shell_makes_the_wrong_key_that_was_sent(words):
    secret = altered_keys(KEY)[words]
    text = redacted(f"printf %s '-H {KEY}: {secret}'", [KEY])
    environment = {**os.environ, "CHANGEWIRE_API_KEY": KEY}
    line = ["sh", "-c", text]
    said = subprocess.run(line, env=environment, capture_output=True, text=True, check=True).stdout

    assert text == f'printf %s "-H $CHANGEWIRE_API_KEY: {words}"'
    assert said == f"-H {KEY}: {secret}"


@given(st.text(), st.text())
def test_a_command_is_understood_as_it_was_meant(path, value):
    request_ = Request("GET", f"http://acme.example/{path}", {"A": value})

    assert shlex.split(request_.curl())[-3:] == [request_.url, "-H", f"A: {value}"]


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
