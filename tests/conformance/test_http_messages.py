"""How a request is written down, and that no key is."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.http_messages import Request, altered_keys, redacted

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
