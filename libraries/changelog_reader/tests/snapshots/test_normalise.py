"""The same content is the same text."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.snapshots import normalise
from changelog_reader.snapshots.normalise import (
    CUT,
    MAX_TEXT_BYTES,
    is_cut,
    normal_heading,
    normal_line,
    normal_text,
    normal_url,
)

SNIPPETS = st.sampled_from(
    ["3 hours ago", "Updated ", "yesterday", "\n", "nonce: a1b2c3d4e5", " ", "12 views", "\u200b",
     "https://acme.example/a?utm_source=x&id=3", ".", "3日前", "e\u0301", "[…]", "vor 2 Stunden"]
)  # fmt: skip


@given(st.lists(SNIPPETS | st.text(max_size=5), max_size=12).map(" ".join))
def test_normalising_twice_is_normalising_once(text):
    for normal in (normal_line, normal_heading, normal_text):
        assert normal(normal(text)) == normal(text)


@given(st.lists(st.text(alphabet="ab?&=#;/utm_sid", max_size=6), max_size=8).map("".join))
def test_normalising_an_address_twice_is_normalising_it_once(query):
    url = f"https://acme.example/{query}"
    assert normal_url(normal_url(url)) == normal_url(url)


@given(st.text(max_size=40))
def test_a_text_is_the_same_however_its_characters_are_composed(text):
    assert normal_text(unicodedata.normalize("NFD", text)) == normal_text(
        unicodedata.normalize("NFC", text)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fixed  a\u00a0bug ", "Fixed a bug"),
        ("One\n\n\nTwo", "One\nTwo"),
        ("Updated 3 hours ago by Ada", "Updated 1 minute ago by Ada"),
        ("Text\nUpdated 23 hours ago", "Text\nUpdated yesterday"),
        ("Text\nPosted today at 10:31 am", "Text\nPosted just now"),
        ("il y a 2 heures : corrigé", "il y a 3 jours : corrigé"),
        ("3時間前に更新", "2日前に更新"),
        ("Text\n1,204 views", "Text\n1.3k views"),
        ("Request ID: 7f3a9c2be1", "Request ID: 81bc02d4ff"),
        ('csrf-token="A1b2C3d4E5"', 'csrf-token="Z9y8X7w6V5"'),
        ("See https://acme.example/x?utm_campaign=may.", "See https://acme.example/x."),
    ],
)
def test_what_nobody_wrote_makes_no_difference(one, other):
    assert normal_text(one) == normal_text(other)


@pytest.mark.parametrize(
    "text",
    [
        "Support ends in 3 days",
        "Fixed yesterday's outage",
        "The nonce: now required",
        "Version 3 of the API",
    ],
)
def test_what_the_vendor_wrote_stays(text):
    assert normal_text(text) == text


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://acme.example/a?utm_source=rss&id=3&fbclid=x", "https://acme.example/a?id=3"),
        ("https://acme.example/a?gclid=1#part", "https://acme.example/a#part"),
        ("https://acme.example/a;jsessionid=1A2B?b=1", "https://acme.example/a?b=1"),
        ("https://acme.example/watch?v=abc&_=1718", "https://acme.example/watch?v=abc"),
    ],
)
def test_an_address_keeps_only_what_names_the_page(url, expected):
    assert normal_url(url) == expected


def test_a_heading_that_only_tells_the_day_is_the_same_tomorrow():
    assert normal_heading("Today") == normal_heading("Yesterday") != normal_heading("May 3")


def test_a_text_over_the_limit_is_cut_between_characters_and_says_so():
    found = normal_text("é" * MAX_TEXT_BYTES)
    assert len(found.encode()) <= MAX_TEXT_BYTES
    assert found.strip("é") == CUT
    assert is_cut(found)
    assert not is_cut(normal_text("é" * (MAX_TEXT_BYTES // 2)))


# Texts without a hint of what is volatile are not searched for it.
PIECES = (
    *("3 hours ago", "a few min AGO", "vor 3 Tagen", "VOR einer Stunde", "il y a 2 jours"),
    *("İl y a une mınute", "hace 3 días", "há uma hora", "HÁ 2 dias", "3 日前", "12 か月前"),
    *("csrf_token=abcdefgh1", "cſrf: 'abcdefgh12'", "Ray ID: 8ab12cd34ef", "nonce = 12345678"),
    *("ſession-id:a1b2c3d4e5", "Correlatıon ID=1234567890", "REQUEST İD: abcdefgh1"),
    *("trace id : 0123456789abcdef", "https://a.example/?utm_source=x", "Just now", " ", "\t", "x"),
)
LINES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=5)


@given(LINES, st.sampled_from([" ", "", "  "]))
@example(["İl y a une minute"], "")
@example(["cſrf: 'abcdefgh12'"], "")
@example(["HÁ 2 dias"], "")
def test_a_line_without_a_hint_has_no_time_and_no_token(pieces, between):
    line = " ".join(between.join(pieces).split())

    without = normalise._TOKEN.sub("", normalise._RELATIVE_TIME.sub("", line))

    assert normalise._may_hold_time_or_token(line) or without == line
