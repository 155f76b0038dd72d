"""Patterns are compiled when they are searched for; here all of them are."""

from changelog_reader.importance import dates, deadlines, headings
from changelog_reader.importance.clues import CLUES, OPENINGS

FORMATS = (*dates._FORMATS, *dates._YEARLESS)
PATTERNS = [
    *(clue.pattern for clues in CLUES for clue in clues),
    *OPENINGS.values(),
    *deadlines._PATTERNS.values(),
    *deadlines._SAID.values(),
    *(deadlines._DOUBT, deadlines._LINK, deadlines._NEEDED),
    *(pattern for _, pattern in headings._MEANINGS),
    *(needed for needed, _ in FORMATS),
    *(pattern for _, formats in FORMATS for pattern in formats),
]


def test_every_pattern_can_be_compiled():
    assert len(PATTERNS) > 150
    for pattern in PATTERNS:
        pattern.search("")
