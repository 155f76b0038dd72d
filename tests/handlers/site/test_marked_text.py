"""Texts with their evidence marked: nothing is lost, nothing is marked twice."""

from hypothesis import given
from hypothesis import strategies as st

from handlers.site.marked_text import Piece, TextMark, marked_blocks, marks_of

LINES = st.text(st.sampled_from("ab -#\n\r\t\x0b\u2028é"), max_size=60)
MARKS = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 30)).map(
        lambda place: TextMark(place[0], sum(place), "breaking")
    ),
    max_size=4,
)


def passage(text, start, field="summary", category="breaking"):
    return {
        "field": field,
        "text": text,
        "start": start,
        "end": start + len(text),
        "category": category,
    }


def blocks_of(text, marks=()):
    """Return the kinds of the blocks of a text, with the words of their lines."""
    return [
        (block.kind, tuple("".join(piece.text for piece in line) for line in block.lines))
        for block in marked_blocks(text, marks)
    ]


def test_a_passage_is_marked_where_it_stands():
    text = "## Removed\n\n- Version 1 is gone. Use 2."

    blocks = marked_blocks(text, marks_of(text, "summary", [passage("Version 1 is gone.", 14)]))

    assert [block.kind for block in blocks] == ["heading", "list"]
    assert blocks[1].lines == ((Piece("Version 1 is gone.", "breaking"), Piece(" Use 2.")),)
    assert blocks[1].categories == ("breaking",)


def test_a_passage_of_the_cut_text_is_found_in_the_whole_one():
    assert marks_of("long before. It goes.", "summary", [passage("It goes.", 0)]) == [
        TextMark(13, 21, "breaking")
    ]


@given(st.text())
def test_no_word_of_a_text_is_lost(text):
    lines = [line for _, block in blocks_of(text) for line in block]

    kept = "".join("".join(lines).split()).replace("#", "").replace("-", "")
    assert kept == "".join(text.split()).replace("#", "").replace("-", "")


@given(LINES, MARKS)
def test_marks_change_no_block_and_no_word(text, marks):
    assert blocks_of(text, sorted(marks)) == blocks_of(text)
