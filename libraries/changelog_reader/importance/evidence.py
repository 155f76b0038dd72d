"""Evidence: the vendor's own words that show a category, short, verbatim and in order."""

import re
from bisect import bisect_right

from changelog_reader.importance.headings import Scope, scope_of
from changelog_reader.importance.judgement import SETTLED, Judgement
from changelog_reader.importance.lazy_pattern import patterns_of, written
from changelog_reader.importance.results import LONGEST_EVIDENCE, MOST_EVIDENCE, Evidence, Field
from changelog_reader.importance.statements import SETTLING
from changelog_reader.vocabulary import Category

_BREAK = re.compile(r"[,;:](?!\s20\d\d\b)\s|\s[-–—]\s|[，；：、]|\n")
_SENTENCE_SPACES = 4  # "The old export" needs its heading to tell what happened to it
_NEXT = re.compile(r"(?:\s*\n- |\n(?=\w))[^\n]+(?:\n(?![-#\s])[^\n]+)*")  # item or line
_MOST_READ = 8  # judgements; some say the same
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
_POINTS_BACK, _POINTS_AWAY, _GOES_ON = patterns_of(written("english")["evidence"]).values()


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    The most certain statements are quoted, and what only points to others where nothing else says
    it. Nothing is quoted twice, as when a summary repeats its title.
    """
    quoted: tuple[dict[str, Evidence], ...] = ({}, {})  # what says it, and what only points
    # The vendor's own word first, then what is said plainly.
    certain_first = sorted(judged, key=lambda it: -2 * it.by_vendor - it.plain)
    for judgement in certain_first[:_MOST_READ]:
        field: Field = judgement.statement.field
        value = title if field == "title" else summary
        spans, points = _spans(judgement, value)
        for start, end in spans:
            text = value[start:end]
            if letters := _NOT_A_WORD.sub("", text).lower():
                found = Evidence(judgement.category, field, text, start, end)
                quoted[points].setdefault(letters, found)
        if len(quoted[False]) >= MOST_EVIDENCE:
            break
    kept: list[Evidence] = []
    found_first = [*(quoted[False] or quoted[True]).values()][:MOST_EVIDENCE]
    for quote in sorted(found_first, key=lambda it: (it.field == "summary", it.start, -it.end)):
        if not kept or kept[-1].field != quote.field or kept[-1].end < quote.end:
            kept.append(quote)  # else it is a part of the one before
    return tuple(kept)


def _spans(judgement: Judgement, value: str) -> tuple[list[tuple[int, int]], bool]:
    """Return the spans that one judgement rests on, and whether they only point to others.

    A sentence has the header of its table before it, and the heading that decided where it is
    short, and what is between them; where it points elsewhere, the heading stands for it.
    """
    statement = judgement.statement
    settled = SETTLED.get(statement.scope, Category.SECURITY)
    headed = judgement.by_vendor and statement.scope in SETTLING and settled is judgement.category
    heading, header = cut(value, *statement.heading), cut(value, *statement.header)
    start, end = cut(value, *_sentence(judgement))
    said = statement.masked[start - statement.start : end - statement.start]
    away = _POINTS_AWAY.fullmatch(said)
    points = away or _GOES_ON.fullmatch(said)
    while points and not away and (below := _NEXT.match(value, end)):
        if below.end() - start > LONGEST_EVIDENCE:
            break
        end = below.end()
        if value[statement.start - 2 : statement.start] == "- ":
            break  # the list may be the one that the statement is in
    is_alone = end == start + len(said)
    if headed and is_alone and points:
        return [heading], True
    is_short = value.count(" ", start, end) < _SENTENCE_SPACES
    if headed and not judgement.end and (is_short or statement.scope is not Scope.BREAKING):
        if end - heading[0] <= LONGEST_EVIDENCE:
            return [(heading[0], end)], False
        if is_short or settled is not Category.SECURITY:
            return [heading, (start, end)], True
    says_little = points or _POINTS_BACK.match(said) or scope_of(said) in SETTLING
    return [*[header] * bool(statement.header[1]), (start, end)], is_alone and bool(says_little)


def _sentence(judgement: Judgement) -> tuple[int, int]:
    """Return the sentence of the clue, without one the first sentence of the statement.

    One that points back goes with those before it, if they fit.
    """
    statement, at = judgement.statement, (judgement.start, judgement.end)
    before: list[int] = []
    start = end = 0
    for start, end in statement.sentences():
        if start <= at[0] < end:
            break
        before.append(start)
    while before and end - before[-1] <= LONGEST_EVIDENCE:
        if not _POINTS_BACK.match(statement.masked, start, end):
            break
        start = before.pop()
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
