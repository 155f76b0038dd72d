"""Texts without a hint of what is volatile are not searched for it; nothing volatile is missed."""

from hypothesis import example, given
from hypothesis import strategies as st

from changelog_reader.snapshots import normalise

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
