"""Evidence: the vendor's own words that show a category, short, verbatim and in order."""

import re

from changelog_reader.importance.headings import Scope
from changelog_reader.importance.judgement import Judgement
from changelog_reader.importance.results import LONGEST_EVIDENCE, MOST_EVIDENCE, Evidence, Field
from changelog_reader.vocabulary import Category

_BREAK = re.compile(r"[,;:](?!\s20\d\d\b)\s|\s[-–—]\s|[，；：、]|\n")
_MOST_READ = 8  # judgements; some say the same
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
_SHORTEST = 4  # words; a clause below that says too little on its own
_FEWEST = 2  # words; a type in front of a clause ("Deprecated: ...") says nothing without it
# "Starting in April," and "If you use it," say nothing without the clause they open.
_OPENS = re.compile(
    r"\W*(?:after|as of|before|beginning|by|effective|for|from|if|in|on|once|since|starting"
    r"|to|unless|until|when|while|with)\b",
    re.IGNORECASE,
)


# The headings that settle a category.
_HEADED = {
    Category.BREAKING: (Scope.BREAKING,),
    Category.DEPRECATION: (Scope.DEPRECATION,),
    Category.SECURITY: (Scope.SECURITY, Scope.SECURITY_AREA),
}


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    The most certain statements are quoted. Where a heading decided, the heading is
    quoted first. Nothing is quoted twice, as when a summary repeats its title.
    """
    quoted: dict[str, Evidence] = {}
    for judgement in sorted(judged, key=_rank)[:_MOST_READ]:
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


def _rank(judgement: Judgement) -> int:
    """Return what is quoted first: the vendor's own word, then what is said plainly."""
    return -2 * judgement.by_vendor - judgement.plain


def _spans(judgement: Judgement, value: str) -> list[tuple[int, int]]:
    """Return the spans that one judgement rests on."""
    statement = judgement.statement
    headed = judgement.by_vendor and statement.scope in _HEADED[judgement.category]
    spans = [statement.heading] if headed else []
    return [*spans, cut(value, *_clause(judgement))]


def _clause(judgement: Judgement) -> tuple[int, int]:
    """Return the clause around the clue, without one the first sentence of the statement."""
    statement, at = judgement.statement, judgement
    start = end = 0
    for start, end in statement.sentences():
        if start <= at.start < end:
            break
    if at.end:
        start, end = _narrow(statement.masked, start, max(end, at.end), (at.start, at.end))
    return statement.start + start, statement.start + end


def _narrow(masked: str, start: int, end: int, at: tuple[int, int]) -> tuple[int, int]:
    """Cut a sentence down to the clause around ``at``, unless too little is left."""
    left = opening = start
    for break_ in _BREAK.finditer(masked, start, end):
        before = masked[start : break_.start()]
        if before.count("(") > before.count(")"):
            continue  # inside of brackets
        opens = _OPENS.match(masked, opening, break_.start())
        says_enough = len(masked[break_.end() : at[1]].split()) >= _SHORTEST
        if break_.end() <= at[0] and says_enough and not opens:
            left = break_.end()
        alone = len(masked[left : break_.start()].split()) < _FEWEST
        if break_.start() >= at[1] and not (opens or alone):
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
