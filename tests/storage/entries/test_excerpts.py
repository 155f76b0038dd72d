"""Excerpts: a text cut so that its beginning and certain passages of it stay."""

from hypothesis import given
from hypothesis import strategies as st

from storage.entries.excerpts import END, Span, excerpt

TEXT = (
    "First words of a note. " + "Filler words again. " * 10 + "The API is removed. " + "More. " * 10
)


def span_of(passage, text=TEXT):
    return Span(text.index(passage), text.index(passage) + len(passage))


def test_without_passages_it_is_the_beginning_cut_between_two_words():
    assert excerpt("one two three four", (), length=14).text == "one two three…"


def test_the_beginning_and_a_passage_stay():
    cut = excerpt(TEXT, [span_of("The API is removed.")], length=80)
    assert (
        cut.text == "First words of a note. Filler words again. Filler words … The API is removed.…"
    )


def test_where_there_is_little_room_the_passage_stands_alone():
    cut = excerpt(TEXT, [span_of("The API is removed.")], length=30)
    assert cut.text == "… The API is removed.…"


@st.composite
def texts_with_passages(draw):
    text = draw(st.text(alphabet="ab \n…é", min_size=1, max_size=300))
    place = st.integers(0, len(text))
    ends = draw(st.lists(st.tuples(place, place).map(sorted), max_size=4))
    return text, [Span(*two) for two in ends if two[0] < two[1]]


@given(texts_with_passages(), st.integers(10, 200))
def test_an_excerpt_has_at_most_its_length_and_passages_are_word_for_word(given_text, length):
    text, passages = given_text
    cut = excerpt(text, passages, length=length)
    assert len(cut.text) <= length
    for passage in passages:
        place = cut.place(passage)
        if place is not None:
            assert cut.text[place.start : place.end] == text[passage.start : passage.end]


@given(texts_with_passages(), st.integers(60, 200))
def test_the_first_passage_stays_wherever_it_fits(given_text, length):
    text, passages = given_text
    cut = excerpt(text, passages, length=length)
    for passage in passages[:1]:
        fits = passage.end - passage.start <= length - 2 * len(END) - 1
        assert not fits or cut.place(passage) is not None
