"""What is not searched would not have been found: every shortcut against the long way."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.importance.clues import Index
from ingest.importance.dates import mentions
from ingest.importance.deadlines import _KINDS, _NEEDED, _PATTERNS, may_hold_date
from ingest.importance.features import CLUES
from ingest.importance.judgement import Judgement, _weighed, judge
from ingest.importance.mask import _QUOTED_OR_ADDRESS, FILLER, fold, mask
from ingest.importance.model import MODEL
from ingest.importance.statements import statements
from ingest.importance.words import _WORD, _form, words

HERE = Path(__file__).parent
SENTENCES = [
    json.loads(line)["text"] for line in (HERE / "deadlines.jsonl").read_text("utf-8").splitlines()
]
TERMS = sorted(
    {
        term
        for path in (Path(statements.__code__.co_filename).parent / "patterns").glob("*.toml")
        for term in re.findall(r"[^\W\d_]{2,}", path.read_text(encoding="utf-8"))
    }
)
BETWEEN = st.just(" ") | st.sampled_from((", ", ". ", "\n- ", *"/_-’'`\"“”\n"))
MORE = ("https://a.example/x", "1 March 2027", "Q3 2026", "h1 2027", "2026-07-01", "1.7.2027", "İ")
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(TERMS) | st.sampled_from(SENTENCES) | st.sampled_from(MORE),
        BETWEEN,
    ),
    max_size=30,
).map(lambda pairs: "".join(term + between for term, between in pairs))
SHORT, LONG = Index(CLUES), Index([replace(clue, also=frozenset()) for clue in CLUES])


def seen(index, masked, *, all_of_them):
    """Return what an index sees: the clue's name, whether it argues for something, where."""
    found = index.sightings(masked, unspaced=True, all_of_them=all_of_them)
    return [(each.clue.name, bool(each.clue.category), each[1:]) for each in found]


def agrees(text):
    """Compare the shortcuts with the long way on one text."""
    masked = _QUOTED_OR_ADDRESS.sub(lambda found: FILLER * len(found[0]), text)
    assert mask(text) == masked
    assert words(masked) == [_form(found) for found in _WORD.findall(masked)]
    long = seen(LONG, masked, all_of_them=True)
    assert seen(SHORT, masked, all_of_them=True) == long
    argues = any(argues for _name, argues, _at in long)
    assert seen(SHORT, masked, all_of_them=False) == (long if argues else [])
    if list(mentions(masked)):
        assert may_hold_date(text, None)
    folded = fold(masked)
    if any(_PATTERNS[name].search(folded) for name, kind in _KINDS.items() if kind):
        assert _NEEDED.search(folded)
    for each in statements(text, text):
        anew = _weighed(each.masked, each.scope, MODEL)
        assert judge(each) == [Judgement(each, *weighed) for weighed in anew]


@given(text=TEXTS)
def test_no_shortcut_loses_anything_in_a_text_of_the_terms_that_matter(text):
    agrees(text)


@pytest.mark.parametrize("text", SENTENCES)
def test_no_shortcut_loses_anything_in_our_own_sentences(text):
    agrees(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("less than before", "The limit is 50 where it used to be 100"),
        ("gets refused", "Whoever asks twice gets an 409"),
        ("prints a warning", "Warns about old files"),
        ("prints a warning", "Whoever opens an old file gets a warning"),
        ("guessing", "Bruteforcing of codes takes longer"),
        ("repairs a weakness", "Fixes user enumeration at the login"),
        ("now requires", "A second factor is compulsory"),
        ("opt in", "Sharing becomes optin"),
        ("off by default", "Sharing is now optin"),
        ("will be removed", "The plan will be ended"),
        ("will stop", "Old clients will lose access"),
        ("future release", "This goes in a coming release"),
        ("announces an end", "Planned: the old gateway is shut down"),
        ("change in behaviour", "A behavioural change of the parser"),
        ("traversal", "A directory following weakness"),
    ],
)
def test_a_clue_is_looked_for_wherever_its_pattern_matches(name, text):
    assert name in [each for each, _argues, _at in seen(SHORT, text, all_of_them=True)]


def test_no_shortcut_loses_anything_in_real_changelogs():
    corpus = os.environ.get("CHANGEWIRE_CORPUS")
    if not corpus:
        pytest.skip("CHANGEWIRE_CORPUS does not name a folder with labels.jsonl")
    lines = (Path(corpus) / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[::5]:
        agrees(json.loads(line)["text"])
