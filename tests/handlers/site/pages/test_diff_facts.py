"""What a change says, in sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.pages.diff_facts import sentences
from handlers.site.pages.diff_view import Piece, _folded, read_head
from openapi.vocabulary import FactType


def change(op="changed", before=None, after=None, fact=None, path=None, detail=None):
    facts = [{"type": fact, "path": path, "detail": detail}] if fact else []
    return {"op": op, "before": before, "after": after, "facts": facts}


def dated(before, after):
    sides = {"published_at": before}, {"published_at": after}
    return change("changed", *sides, "date_moved_later", "published_at")


def edited(before, after, *fact):
    return change("changed", {"summary": before}, {"summary": after}, *fact)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (
            dated("2026-03-01T00:00:00Z", "2026-06-01T00:00:00Z"),
            "The date moved later, from 1 March to 1 June 2026.",
        ),
        (
            dated("2026-03-01T10:00:00Z", "2026-03-01T12:30:00Z"),
            "The time moved from 10:00 to 12:30 on 1 March 2026.",
        ),
        (dated(None, "nonsense"), "The date moved later."),
        (
            edited("a b c d e f g", "a", "text_shortened", "summary"),
            "The text was shortened by 6 words.",
        ),
        (
            edited("Ends on 1 March 2027.", "Ends on 1 June 2027."),
            "A date in the text was changed from 1 March 2027 to 1 June 2027.",
        ),
        (
            change("moved", {"index": 2}, {"index": 0}),
            "Moved from place 3 to place 1; no other change.",
        ),
    ],
)
def test_a_change_in_words(found, words):
    assert sentences(found) == (words,)


def test_no_date_is_said_to_have_moved_where_it_is_not_plain():
    assert sentences(edited("1 March and 2 April", "3 March and 4 April")) == ()


@pytest.mark.parametrize("kind", FactType)
def test_every_fact_has_a_sentence(kind):
    (sentence,) = sentences(change("changed", {}, {}, kind.value, "title", "a detail"))

    assert sentence.endswith((".", "a detail"))


PIECES = st.lists(
    st.builds(Piece, st.sampled_from(["equal", "insert", "delete"]), st.text(min_size=1)),
    max_size=6,
)


@given(PIECES, st.integers(1, 400))
def test_folding_loses_nothing(pieces, repeat):
    pieces = [piece._replace(text=piece.text * repeat) for piece in pieces]

    folded = list(_folded(pieces))

    assert "".join(piece.text for piece in folded) == "".join(piece.text for piece in pieces)
    shown = (piece for piece in folded if piece.op == "equal" and len(pieces) > 1)
    assert all(len(piece.text) <= 320 for piece in shown)


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        (b'[{"op":"changed","before":{"title":"Say \\"hi\\" \\u2019"},', 'Say "hi" \u2019'),
        (b'[{"op":"added","before":null,"after":{"title":""}},{"after":{"title":"Next"}}]', "Next"),
        (b'[{"op":"added","before":null,"after":{"title":"cut off by the', None),
    ],
)
def test_a_diff_is_called_by_the_title_of_its_first_entry(changes, title):
    head = read_head(
        b'{"id":"diff_1_2","before":{"fetchedAt":"2026-11-20T00:00:00Z"},'
        b'"after":{"fetchedAt":"2026-11-21T00:00:00Z"},"stats":{"added":0,"changed":1,"removed":2,'
        b'"rolledOff":0},"truncated":false,"changes":' + changes
    )

    assert (head.id, head.counts) == ("diff_1_2", "1 edited, 2 removed")
    assert (head.truncated, head.title) == (False, title)
