"""What vendors wrote is safe to print in a terminal."""

import json
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from service.terminal_escape import plain, plain_json

ANY_TEXT = st.text(st.characters(), max_size=60)
SELECTORS = frozenset(map(chr, range(0xE0100, 0xE01F0)))
ESCAPES = st.sampled_from(["\x1b[31m", "\x1b]0;x\x07", "\x9b2J", "\x7f", "\u202e", "\U000e0041"])
HOSTILE = st.lists(ANY_TEXT | ESCAPES, max_size=8).map("".join)
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f]")


@given(HOSTILE)
def test_nothing_that_a_terminal_obeys_is_left(text):
    for clean in (plain(text), plain_json({"title": text})):
        assert not OBEYED.search(clean)
        assert not any("\U000e0000" <= each <= "\U000e0fff" for each in clean)
        clean.encode()
    assert "\n" not in plain(text)


@given(st.text(st.characters(categories=["L", "N", "P", "S", "M"])))
def test_what_people_write_stays(text):
    assert plain(text) == "".join(each for each in text if each not in SELECTORS)


@given(st.recursive(ANY_TEXT | st.integers() | st.none(), st.lists, max_leaves=6))
def test_printed_json_is_the_same_value(value):
    assert json.loads(plain_json(value)) == value


def test_every_unseen_category_is_covered():
    unseen = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) in ("Cc", "Cf", "Cs")]

    assert plain("".join(unseen)) == "\u200c\u200d"
