"""What a statement looks like, beside its words."""

import pytest

from ingest.importance.features import features
from ingest.importance.mask import mask
from ingest.importance.words import words


def form(text: str) -> set[str]:
    """What is shown of a statement's form."""
    masked = mask(text)
    return {name for name in features(masked, words(masked)) if name.startswith("#")}


@pytest.mark.parametrize(
    "text",
    [
        "make links relative ([1a2b3c4](https://acme.example/commit/1a2b3c4))",
        "make links relative ([#7](https://acme.example/7)) ([1a2b3c4](https://acme.example/c))",
        "make links relative (1a2b3c4), closes #7",
    ],
)
def test_a_commit_may_end_a_statement(text):
    assert "#commit last" in form(text)


@pytest.mark.parametrize("text", ["defaced pages are restored", "a feed (facade) is read"])
def test_a_word_of_hexadecimal_letters_is_no_commit(text):
    assert "#commit last" not in form(text)


def test_a_name_alone_is_told_from_a_sentence():
    assert "#only names" in form("`Reader::rewind()`")
    assert "#only names" not in form("Reads `Reader` objects from any source that has them.")


def test_lengths_form_classes():
    assert "#length 0" in form("`x`")
    assert "#length 2" in form("one two three")
    assert "#length 6" in form("word " * 40)


def test_sentences_and_words_to_the_reader_are_seen():
    shown = form("Links are relative. You have to change yours.")
    assert {"#sentences", "#to the reader"} <= shown
    assert not {"#sentences", "#to the reader"} & form("Links are relative.")


def test_the_opening_is_read_behind_a_components_name():
    assert {"#component", "#opens lower"} <= form("acme_link - follow links")
    assert "#opens code" in form("`follow` is gone")
    assert "#opens upper" in form("Follow links")
