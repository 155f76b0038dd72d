"""Patterns are compiled when they are searched for; here all of them are."""

import re

from changelog_reader.importance import dates, deadlines, headings
from changelog_reader.importance.clues import CLUES, OPENINGS
from changelog_reader.importance.lazy_pattern import LazyPattern

FORMATS = (*dates._FORMATS, *dates._YEARLESS)
PATTERNS = [
    *(clue.pattern for clues in CLUES for clue in clues),
    *OPENINGS.values(),
    *deadlines._PATTERNS.values(),
    *(deadlines._DOUBT, deadlines._LINK, deadlines._NEEDED),
    *(pattern for _, pattern in headings._MEANINGS),
    *(needed for needed, _ in FORMATS),
    *(pattern for _, formats in FORMATS for pattern, _ in formats),
]


def test_every_pattern_can_be_compiled():
    assert len(PATTERNS) > 150
    for pattern in PATTERNS:
        pattern.search("")


def test_a_pattern_is_written_once_and_not_before_it_is_needed():
    written = []
    pattern = LazyPattern(lambda: written.append(1) or "b+", re.IGNORECASE)
    assert written == []

    assert pattern.search("aBBc").span() == (1, 3)
    assert pattern.match("aBBc") is None
    assert [found.group() for found in pattern.finditer("b BB")] == ["b", "BB"]
    assert pattern.sub("-", "aBBc") == "a-c"
    assert written == [1]
