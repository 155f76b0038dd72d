"""Keys as text (docs/decisions/0013)."""

import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.people.credentials import checksum, new_key, public_id_of


def test_a_key_has_prefix_public_id_secret_and_checksum():
    key = new_key()

    assert re.fullmatch(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}", key)
    assert public_id_of(key) == key[3:15]


DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize("body", ["", "cw_", "123456789"])
def test_the_checksum_is_the_crc_32_in_six_base62_digits(body):
    digits = checksum(body)

    assert len(digits) == 6
    number = 0
    for digit in digits:
        number = number * 62 + DIGITS.index(digit)
    assert number == zlib.crc32(body.encode())


def test_a_changed_character_makes_it_no_key():
    text = new_key()
    changed = text[:20] + ("a" if text[20] != "a" else "b") + text[21:]

    assert public_id_of(changed) is None


@given(st.text(max_size=80))
def test_other_text_is_no_key(text):
    assert public_id_of(text) is None
