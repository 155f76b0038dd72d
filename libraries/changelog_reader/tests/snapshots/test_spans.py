"""Word spans of two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.snapshots.spans import spans

PROSE = st.lists(
    st.sampled_from(["fix", "the", "a", "API", "now", "reads", "dates", "修正", ".", ",", "-"]),
    max_size=150,
)
TEXTS = st.text(max_size=60) | PROSE.map(" ".join)


@given(TEXTS, TEXTS)
def test_spans_without_inserts_are_the_old_text_and_without_deletes_the_new(before, after):
    found = spans(before, after)
    assert "".join(text for op, text in found if op != "insert") == before
    assert "".join(text for op, text in found if op != "delete") == after


@given(TEXTS)
def test_a_text_compared_with_itself_stays_whole(text):
    assert list(spans(text, text)) == ([("equal", text)] if text else [])


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "A critical fix for the parser",
            "A fix for the parser",
            [("equal", "A "), ("delete", "critical "), ("equal", "fix for the parser")],
        ),
        (
            "Keys expire in 63 days, then renew",
            "Keys expire in 66 days, then renew",
            [
                ("equal", "Keys expire in "),
                ("delete", "63"),
                ("insert", "66"),
                ("equal", " days, then renew"),
            ],
        ),
        (
            "旧版本将停止支持",
            "旧版本已停止支持",
            [("equal", "旧版本"), ("delete", "将"), ("insert", "已"), ("equal", "停止支持")],
        ),
        ("The cat sat", "Our dog ran", [("delete", "The cat sat"), ("insert", "Our dog ran")]),
    ],
)
def test_words_are_compared_whole(before, after, expected):
    assert list(spans(before, after)) == expected


def test_two_long_texts_of_one_repeated_word_are_compared_without_trying_every_pair():
    found = spans("x " * 30_000 + "a", "y " * 30_000 + "b")
    assert [op for op, _ in found] == ["delete", "insert"]
