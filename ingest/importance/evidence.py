"""Evidence: the vendor's own words that show a category, short, verbatim and in order."""

import re

from ingest.importance.judgement import Judgement
from ingest.importance.results import LONGEST_EVIDENCE, MOST_EVIDENCE, Evidence, Field

_BREAK = re.compile(r"[,;:](?!\s20\d\d\b)\s|\s[-–—]\s|[，；：、]|\n")
_MOST_READ = 8  # judgements; some say the same
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
_SHORTEST = 4  # words; a clause below that says too little on its own
# "Starting in April," and "If you use it," say nothing without the clause they open.
_OPENS = re.compile(
    r"\W*(?:after|as of|before|beginning|by|effective|for|from|if|in|on|once|since|starting"
    r"|to|unless|until|when|while|with)\b",
    re.IGNORECASE,
)


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    The most certain statements are quoted. Where a heading decided, the heading is
    quoted first. Nothing is quoted twice, as when a summary repeats its title.
    """
    quoted: dict[str, Evidence] = {}
    for judgement in sorted(judged, key=lambda judgement: -judgement.odds)[:_MOST_READ]:
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
    """Return the spans that one judgement rests on."""
    statement = judgement.statement
    spans = [statement.heading] if judgement.by_heading else []
    start, end = _clause(judgement)
    return [*spans, cut(value, start, end)]


def _clause(judgement: Judgement) -> tuple[int, int]:
    """Return the clause around the strongest clue.

    Without one it is the first sentence under a heading that decides, else the whole statement.
    """
    statement = judgement.statement
    if not (judgement.clues or judgement.by_heading):
        return statement.start, statement.start + len(statement.masked)
    strongest = max(judgement.clues, key=lambda sighting: sighting.clue.strength, default=None)
    at = (0, 0) if strongest is None else (strongest.start, strongest.end)
    for start, end in statement.sentences():
        if start <= at[0] < end or end == len(statement.masked):
            break
    if strongest is not None:
        start, end = _narrow(statement.masked, start, max(end, at[1]), at)
    return statement.start + start, statement.start + end


def _narrow(masked: str, start: int, end: int, at: tuple[int, int]) -> tuple[int, int]:
    """Cut a sentence down to the clause around ``at``, unless too little is left."""
    left = opening = start
    for break_ in _BREAK.finditer(masked, start, end):
        before = masked[start : break_.start()]
        if before.count("(") > before.count(")"):
            continue  # inside of brackets
        if break_.end() <= at[0] and len(masked[break_.end() : at[1]].split()) >= _SHORTEST:
            left = break_.end()
        if break_.start() >= at[1] and not _OPENS.match(masked, opening, break_.start()):
            return left, break_.start()
        opening = break_.end()
    return left, end


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
