"""Patterns are rewritten to be searched faster, and match where they did before."""

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ingest.importance.clues as clues_module
from ingest.importance.clues import expanded
from ingest.importance.letter_prefix import with_letter_prefix

SECTIONS = tomllib.loads(
    Path(clues_module.__file__).with_name("patterns").joinpath("english.toml").read_text("utf-8")
)
PARTS = SECTIONS.pop("parts")
CLUES = {name: each for section in SECTIONS.values() for name, each in section.items()}
BOTH = {
    name: (re.compile(pattern), re.compile(with_letter_prefix(pattern)))
    for name, each in CLUES.items()
    for pattern in [expanded(each["pattern"], PARTS)]
}
WORDS = sorted({stem for each in CLUES.values() for stem in each["stems"].split()})
ENDINGS = ("", "s", "d", "ed", "es", "ing", "ion", ", ", "'t")
TEXTS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(WORDS), st.sampled_from(ENDINGS)).map("".join),
        st.sampled_from(("the", "is", "has been", "no", "not", "to", "in", "a", "1.2", "-", "_x")),
    ),
    max_size=25,
).map(" ".join)


@given(text=TEXTS)
def test_every_pattern_matches_where_it_did_before(text):
    for name, (plain, fast) in BOTH.items():
        before, after = plain.search(text), fast.search(text)
        assert (before and before.span()) == (after and after.span()), name


@pytest.mark.parametrize("text", ["can", "we may go", "cannot", "dismay", "(may)", "_may", "1may"])
def test_a_word_still_begins_at_its_boundary(text):
    pattern = r"\b(?:may|can)\b|\bgo"
    before, after = re.search(pattern, text), re.search(with_letter_prefix(pattern), text)
    assert (before and before.span()) == (after and after.span())


def test_most_patterns_begin_with_the_letters_that_they_can_begin_with():
    assert with_letter_prefix(r"\b(?:may|can)\b").startswith("[cm]")
    assert sum(plain.pattern != fast.pattern for plain, fast in BOTH.values()) > len(BOTH) / 2


@pytest.mark.parametrize(
    "pattern", [r"^may", r"\bx?may", r"may|\bcan", r"\b(?:may|x*)y", r"\b(?:may)?can", r"\b[mc]ay"]
)
def test_what_may_begin_in_another_way_is_left_as_it_is(pattern):
    assert with_letter_prefix(pattern) == pattern
