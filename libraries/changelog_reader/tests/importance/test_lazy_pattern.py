"""Patterns are compiled when they are searched for; here all of them are."""

from changelog_reader.importance import dates, deadlines, headings
from changelog_reader.importance.clues import CLUES, OPENINGS

PATTERNS = [
    *(clue.pattern for clues in CLUES for clue in clues),
    *OPENINGS.values(),
    *deadlines._PATTERNS.values(),
    *deadlines._SAID.values(),
    *(deadlines._DOUBT, deadlines._LINK),
    *(pattern for _, pattern in headings._MEANINGS),
    *(*dates._FORMATS, *dates._YEARLESS),
]


def test_every_pattern_can_be_compiled():
    assert len(PATTERNS) > 140
    for pattern in [it for one in PATTERNS for it in [one, *one.alternatives()]]:
        pattern.search("")
