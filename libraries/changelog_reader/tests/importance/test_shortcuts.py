"""Every shortcut of a search, compared with the long way."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from changelog_reader.importance.clues import AGAINST, CLUES, NAMES, SAYS
from changelog_reader.importance.dates import _FORMATS, _days_or_none, mentions
from changelog_reader.importance.deadlines import _EVENTS, _PATTERNS
from changelog_reader.importance.mask import _QUOTED_OR_ADDRESS, _hide, fold, mask
from changelog_reader.importance.statements import statements

OURS = Path(__file__).with_name("deadlines.jsonl").read_text("utf-8")
SENTENCES = [json.loads(line)["text"] for line in OURS.splitlines()]
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
    st.tuples(st.sampled_from(TERMS) | st.sampled_from(SENTENCES) | st.sampled_from(MORE), BETWEEN),
    max_size=30,
).map(lambda pairs: "".join(term + between for term, between in pairs))


def agrees(text):
    """Compare the shortcuts with the long way on one text."""
    masked = _QUOTED_OR_ADDRESS.sub(_hide, text)
    assert mask(text) == masked
    folded = fold(masked)
    for finder, every in zip((SAYS, AGAINST, NAMES), CLUES, strict=True):
        found = {clue: next(matches, None) for clue, matches in finder(folded)}
        for clue in every:
            match = (clue.pattern.match if clue.opens else clue.pattern.search)(folded)
            assert str(found.get(clue)) == str(match)
    days = (it for by in _FORMATS for it in by.finditer(folded) if _days_or_none(it, int(it["y"])))
    first = min((it.start() for it in days), default=-1)
    assert first == min((it.start for it in mentions(masked)), default=-1)
    events = {name: [*map(str, matches)] for name, matches in _EVENTS(folded)}
    for name, pattern in _PATTERNS.items():
        assert events.get(name, []) == [*map(str, pattern.finditer(folded))]


@pytest.mark.parametrize("text", [*SENTENCES, "It now fails when unmatched", "New! X is removed!"])
def test_no_shortcut_loses_anything_in_our_own_sentences(text):
    agrees(text)


@settings(deadline=None)  # the first text makes the index
@given(text=TEXTS)
def test_no_shortcut_loses_anything_in_a_text_of_the_terms_that_matter(text):
    agrees(text)
