"""Evidence: the vendor's own words that show a category, short, verbatim and in order."""

import re
from bisect import bisect_right

from changelog_reader.importance.headings import Scope
from changelog_reader.importance.judgement import Judgement
from changelog_reader.importance.results import LONGEST_EVIDENCE, MOST_EVIDENCE, Evidence, Field
from changelog_reader.vocabulary import Category

_BREAK = re.compile(r"[,;:](?!\s20\d\d\b)\s|\s[-–—]\s|[，；：、]|\n")
_SENTENCE_SPACES = 4  # "The old export" needs its heading to tell what happened to it
_MOST_READ = 8  # judgements; some say the same
# "It was removed." and "After this date they are gone." say nothing without what is before.
_POINTS_BACK = re.compile(
    r"\W*(?:(?:however|instead|also|now|but|so|therefore),?\s)?"
    r"(?:(?:after|from|on|as of|since|until|by|in|for|with|due to|because of)\s)?"
    r"(?:it|they|them|this|these|those|that|which|both|the same)\b"
    r"|\W*\([^()]{1,40}\)\W*$",
    re.IGNORECASE,
)
# "The following was removed:" and "See the guide." say less than the heading above them.
_ONLY_POINTS = re.compile(
    r"\W*[^\n]{0,120}:\s*"
    r"|\W*(?:please |also )?(?:see|read|refer to|related to|visit|you can find)\b[^\n]{0,200}",
    re.IGNORECASE,
)
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
# The headings that settle a category.
_HEADED = {
    Category.BREAKING: (Scope.BREAKING, Scope.REMOVAL),
    Category.DEPRECATION: (Scope.DEPRECATION,),
    Category.SECURITY: (Scope.SECURITY, Scope.SECURITY_AREA),
}


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    The most certain statements are quoted. Nothing is quoted twice, as when a summary repeats
    its title.
    """
    quoted: dict[str, Evidence] = {}
    # The vendor's own word first, then what is said plainly.
    certain_first = sorted(judged, key=lambda it: -2 * it.by_vendor - it.plain)
    for judgement in certain_first[:_MOST_READ]:
        field: Field = judgement.statement.field
        value = title if field == "title" else summary
        for start, end in _spans(judgement, value):
            text = value[start:end]
            letters = _NOT_A_WORD.sub("", text).lower()
            if letters and len(quoted) < MOST_EVIDENCE:
                quoted.setdefault(letters, Evidence(judgement.category, field, text, start, end))
        if len(quoted) == MOST_EVIDENCE:
            break
    return tuple(sorted(quoted.values(), key=lambda quote: (quote.field == "summary", quote.start)))


def _spans(judgement: Judgement, value: str) -> list[tuple[int, int]]:
    """Return the spans that one judgement rests on: a table's header, and a sentence.

    A heading that decided is quoted where the statement below it is short or points elsewhere.
    """
    statement = judgement.statement
    headed = judgement.by_vendor and statement.scope in _HEADED[judgement.category]
    heading, header = cut(value, *statement.heading), cut(value, *statement.header)
    if headed and _ONLY_POINTS.fullmatch(statement.masked):
        return [heading]
    start, end = cut(value, *_sentence(judgement))
    is_short = value.count(" ", start, end) < _SENTENCE_SPACES
    above = [heading] * (headed and is_short) + [header] * bool(statement.header[1])
    return [*above, (start, end)]


def _sentence(judgement: Judgement) -> tuple[int, int]:
    """Return the sentence of the clue, without one the first sentence of the statement.

    One that points back to the sentence before it goes with that one, if both fit.
    """
    statement, at = judgement.statement, (judgement.start, judgement.end)
    before = start = end = 0
    for start, end in statement.sentences():
        if start <= at[0] < end:
            break
        before = start
    fits = end - before <= LONGEST_EVIDENCE
    if before < start and fits and _POINTS_BACK.match(statement.masked, start, end):
        start = before
    if end - start > LONGEST_EVIDENCE:
        start, end = _narrow(statement.masked, start, max(end, at[1]), at)
    return statement.start + start, statement.start + end


def _narrow(masked: str, start: int, end: int, at: tuple[int, int]) -> tuple[int, int]:
    """Return as many clauses of a sentence around ``at`` as fit, the first ones if possible."""
    starts, ends = [start], []
    for break_ in _BREAK.finditer(masked, start, end):
        before = masked[start : break_.start()]
        if before.count("(") <= before.count(")"):  # not inside of brackets
            starts.append(break_.end())
            ends.append(break_.start())
    ends.append(end)
    for left in starts[: bisect_right(starts, at[0])]:
        fitting = bisect_right(ends, left + LONGEST_EVIDENCE)
        if fitting and ends[fitting - 1] >= at[1]:
            return left, ends[fitting - 1]
    return starts[bisect_right(starts, at[0]) - 1], end


def cut(value: str, start: int, end: int, *, length: int = LONGEST_EVIDENCE) -> tuple[int, int]:
    """Return a span without white space at its ends and at most ``length`` characters long."""
    while start < end and value[start].isspace():
        start += 1
    if end - start > length:
        space = value.rfind(" ", start, start + length)
        end = space if space > start else start + length
    while end > start and value[end - 1].isspace():
        end -= 1
    return start, end
