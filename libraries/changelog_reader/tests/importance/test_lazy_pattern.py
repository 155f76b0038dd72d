"""All patterns can be compiled, and the words that they need are stored, by this file when run."""

import orjson

from changelog_reader.importance import dates, deadlines, headings
from changelog_reader.importance.clues import CLUES, OPENINGS
from changelog_reader.importance.finder import STORED, needs_of, text_of

FOUND_BY_WORDS = [
    *(clue.pattern for clues in CLUES for clue in clues),
    *(*dates._FORMATS, *dates._YEARLESS, deadlines._DOUBT, *deadlines._PATTERNS.values()),
]
PATTERNS = [
    *(*FOUND_BY_WORDS, *OPENINGS.values(), *deadlines._SAID.values(), deadlines._LINK),
    *(pattern for _, pattern in headings._MEANINGS),
]


def needs():
    """Return what is to be stored, a line for each pattern."""
    texts = sorted({text_of(line) for one in FOUND_BY_WORDS for line in one.alternatives()})
    lines = [b"%b:%b" % (orjson.dumps(text), orjson.dumps(needs_of(text))) for text in texts]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def test_every_pattern_can_be_compiled():
    assert len(PATTERNS) > 140
    for pattern in [it for one in PATTERNS for it in [one, *one.alternatives()]]:
        pattern.search("")


def test_what_is_stored_is_what_the_patterns_need_or_this_file_is_to_be_run():
    assert STORED.read_bytes() == needs()


if __name__ == "__main__":
    STORED.write_bytes(needs())
