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
_BELOW = re.compile(_NEXT.pattern.replace(r"|\n", r"|\s*\n"))  # a heading; a paragraph too
_LINE = re.compile(r"[^\n]+")
_LINES = re.compile(r"(?:(?:[A-Z\[]|\w+(?:\([^)\n]*\))?: )[^\n]*(?:\n|$)){4,}")
_OWNER = re.compile(r"\W*[\w.\x00-]+(?: \w+){0,3}: ")  # "cache output: it is faster. Its …"
_MOST_READ = 8  # judgements; some say the same
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
_POINTS_BACK, _POINTS_AWAY, _GOES_ON, _LABEL = patterns_of(written("english")["evidence"]).values()


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    The most certain statements are quoted, and what only points to others where nothing else says
    it. Nothing is quoted twice, as when a summary repeats its title.
    """
    quoted: tuple[dict[str, Evidence], ...] = ({}, {})  # what says it, and what only points
    # The vendor's own word first, then what is said plainly, and what has a clue at all.
    strongest_first = sorted(judged, key=lambda it: (-2 * it.by_vendor - it.plain, not it.end))
    for judgement in strongest_first[:_MOST_READ]:
        field: Field = judgement.statement.field
        value = title if field == "title" else summary
        spans, points = _spans(judgement, value)
        for start, end in spans:
            text = value[start:end]
            if letters := _NOT_A_WORD.sub("", text).lower():
                found = Evidence(judgement.category, field, text, start, end)
                quoted[points].setdefault(letters, found)
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
    away, mark = _POINTS_AWAY.fullmatch(said), value[statement.start - 2 : statement.start]
    points = away or mark == "# " or _GOES_ON.fullmatch(said)
    following = _BELOW if mark == "# " else _NEXT
    while points and not away and (below := following.match(value, end)):
        if below.end() - start > LONGEST_EVIDENCE:
            break
        end = below.end()
        if mark in ("- ", "# "):
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

    One that points back goes with those before it, if they fit, and one that is only a label
    with the one behind it. Those behind a name and a colon go with it. Of lines that each begin
    anew, it is the one line.
    """
    masked, at = judgement.statement.masked, (judgement.start, judgement.end)
    spans = list(judgement.statement.sentences())
    place = next(it for it, span in enumerate(spans) if at[0] < span[1])
    (start, end), back = spans[place], _POINTS_BACK.match
    if _LABEL.fullmatch(masked, start, end) and not back(masked, start, end):
        end = next((it for _, it in spans[place + 1 :] if it - start <= LONGEST_EVIDENCE), end)
    while place and end - spans[place - 1][0] <= LONGEST_EVIDENCE and back(masked, start, end):
        place -= 1
        start = spans[place][0]
    if place and end - spans[0][0] <= LONGEST_EVIDENCE and _OWNER.match(masked):
        start = spans[0][0]
    if _LINES.fullmatch(masked, start, end):
        lines = _LINE.finditer(masked, start, end)
        start, end = next(it.span() for it in lines if at[0] < it.end())
    if end - start > LONGEST_EVIDENCE:
        start, end = _narrow(masked, start, max(end, at[1]), at)
    return judgement.statement.start + start, judgement.statement.start + end


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
