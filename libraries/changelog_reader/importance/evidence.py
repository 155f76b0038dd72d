"""Evidence: the vendor's own words that show a category, short, verbatim and in order."""

import re
from bisect import bisect_right

from changelog_reader.importance.headings import Scope, scope_of
from changelog_reader.importance.judgement import MOST, SETTLED, Judgement
from changelog_reader.importance.lazy_pattern import patterns_of, written
from changelog_reader.importance.mask import fold
from changelog_reader.importance.results import LONGEST_EVIDENCE, MOST_EVIDENCE, Evidence, Field
from changelog_reader.importance.statements import SENTENCE_END, SETTLING, sentences
from changelog_reader.vocabulary import Category

_BREAK = re.compile(r"[,;:](?!\s20\d\d\b)\s|\s[-–—]\s|[，；：、]|\n")
_LABEL_LINE = re.compile(r"\n(?:\n|(?=[A-Z]))(?!- )[^\n.|]{1,60}\n+- ")  # ends a section
_LINE_BELOW = re.compile(r"\n(?=\w)[^\n]+(?:\n(?![-#\s])[^\n]+)*")
_PARAGRAPH = re.compile(rf"\s*{_LINE_BELOW.pattern}")  # below a heading
_ITEM = re.compile(_LINE_BELOW.pattern.replace(r"\n(?=\w)", r"\s*\n- ", 1))
_NAME = re.compile(_ITEM.pattern.replace("- ", r"- (?![A-Z][A-Za-z-]*[:\s])", 1))  # no sentence
_BEGINS = re.compile(rf"(?:{SENTENCE_END.pattern}|\A|\n\s*\n)(?:- |#+ )?|\n(?:- |#+ )")
_LINE = re.compile(r"[^\n]+")
_LINES = re.compile(r"(?:(?:o |[A-Z\[]|\w+(?:\([^)\n]*\))?: )[^\n]*(?:\n|$)){4,}")
_NOT_A_WORD = re.compile(r"\W+")  # a title says the same without its summary's markup
_SAID = patterns_of(written("english")["evidence"])
_BACK, _LEANS, _AWAY = map(_SAID.__getitem__, ("points back", "leans back", "points away"))
_GOES_ON, _LABEL, _VERB = map(_SAID.__getitem__, ("goes on", "label", "verb"))


def evidence(judged: list[Judgement], title: str, summary: str) -> tuple[Evidence, ...]:
    """Return one to three spans for judgements of one category, in reading order.

    Nothing is quoted twice; the title, which stands beside its evidence, where the text says less.
    """
    quoted: tuple[dict[str, Evidence], ...] = ({}, {}, {})  # the text, the title, what needs others
    # The vendor's own word first, then what is said plainly, and what has a clue at all.
    strongest_first = sorted(judged, key=lambda it: -it.strength)
    for judgement in strongest_first[:MOST]:
        field: Field = judgement.statement.field
        value = title if field == "title" else summary
        start, end, needs = _span(judgement, value)
        if field == "title" and (told := _told(title, summary, judgement)):
            field, value, (start, end) = "summary", summary, told
        if letters := _NOT_A_WORD.sub("", value[start:end]).lower():
            found = Evidence(judgement.category, field, value[start:end], start, end)
            place = 2 if needs else judgement.statement.field == "title"
            quoted[place].setdefault(letters, found)
        if len(quoted[0]) == MOST_EVIDENCE:
            break
    kept: list[Evidence] = []
    found_first = [*next(filter(None, quoted), {}).values()][:MOST_EVIDENCE]
    for quote in sorted(found_first, key=lambda it: (it.field == "summary", it.start, -it.end)):
        if not kept or kept[-1].field != quote.field or kept[-1].end <= quote.start:
            kept.append(quote)
        elif len(kept[-1].text) < len(quote.text):
            kept[-1] = quote  # of two that overlap, the longer one
    return tuple(kept)


def _told(title: str, summary: str, judgement: Judgement) -> tuple[int, int] | None:
    """Return the sentence of a text with a word of the clue of a title that has no verb."""
    words = re.findall(r"\b(?!change)\w{5,}", fold(title[judgement.start : judgement.end or None]))
    found = map(fold(summary).find, (it[:8] for it in sorted(words, key=len, reverse=True)))
    at = -1 if _VERB.search(title) else next((it for it in found if it >= 0), -1)
    begins = [it.end() for it in _BEGINS.finditer(summary, 0, max(at, 0))]
    stop = _BEGINS.search(summary, at + 1)
    end = stop.start() + 1 if stop else len(summary)
    start, end = cut(summary, begins[-1], end, length=len(summary))
    needs = summary[end - 1 : end] == ":" or _BACK.match(summary, start)
    return (start, end) if at >= 0 and not needs and end - start <= LONGEST_EVIDENCE else None


def _span(judgement: Judgement, value: str) -> tuple[int, int, bool]:
    """Return the span that a judgement rests on, and whether it needs what is not in it."""
    statement = judgement.statement
    settled = SETTLED.get(statement.scope, Category.SECURITY)
    headed = judgement.by_vendor and statement.scope in SETTLING and settled is judgement.category
    start, end = cut(value, *_sentence(judgement))
    said = statement.masked[start - statement.start : end - statement.start]
    away, mark = _AWAY.fullmatch(said), value[statement.start - 2 : statement.start]
    points = away or mark == "# " or _GOES_ON.fullmatch(said)
    below, is_cut = _below(value, start, end, mark) if points and not away else (end, False)
    behind = headed and _LABEL_LINE.search(value, statement.heading[1] + 2, below + 4)
    is_cut = is_cut or value[below : below + 1] in {",", ";"} or value[start - 2 : start] == ", "
    needs = is_cut or (below == end and bool(points or scope_of(said) in SETTLING))
    is_short = value.count(" ", start, below) < 4  # "The old export" tells not what happened to it
    tells = judgement.end and " " in said  # the number of an advisory alone tells nothing
    alone = headed and not tells and (is_short or statement.scope is not Scope.BREAKING)
    above, to = cut(value, *statement.heading if alone or (headed and needs) else statement.header)
    if to and below - above <= LONGEST_EVIDENCE and not behind:
        return above, below, needs
    start, is_whole = _back(value, start, below)
    alone = alone and (is_short or settled is not Category.SECURITY)
    return start, below, needs or alone or not is_whole or bool(behind and not tells)


def _below(value: str, start: int, end: int, mark: str) -> tuple[int, bool]:
    """Return where what a passage leads to ends, and whether that is only the first of its items.

    ``mark`` is what the passage begins with. Below an item are its own items, if they are names,
    or one: a list in a list is served as one.
    """
    kind = _NAME if mark == "- " and _NAME.match(value, end) else _ITEM
    led = kind.match(value, end) or (_PARAGRAPH if mark == "# " else _LINE_BELOW).match(value, end)
    items = 0
    while led and led.end() - start <= LONGEST_EVIDENCE:
        end, items = led.end(), items + (led.re is kind)
        if (mark == "# " and not items) or (mark == "- " and kind is _ITEM):
            return end, False
        led = kind.match(value, end) or (None if items else _LINE_BELOW.match(value, end))
    return end, items == 1 and led is not None


def _back(value: str, start: int, end: int) -> tuple[int, bool]:
    """Return where a passage begins with what it points back to, and whether that fits.

    Nothing points to a heading like "Breaking changes", or to the last item of a list above.
    """
    begins = _BEGINS.finditer(value, max(0, end - LONGEST_EVIDENCE), start)
    starts: list[int] = []
    back = start
    while back and ((points := _BACK.match(value, back, end)) or _LEANS.match(value, back, end)):
        starts += [it.end() for it in begins if it.end() < start]  # all of them, the first time
        before = value[starts[-1] - 2 : back] if starts else "- \n\n"
        is_list_above = before.endswith(":\n\n") or (before[:2] == "- " and "\n\n" in before)
        if is_list_above or scope_of(before[2:]) is not Scope.UNKNOWN:
            return back, not points and back < start
        back = starts.pop()
    return back, True


def _sentence(judgement: Judgement) -> tuple[int, int]:
    """Return the sentence of the clue, without one the first sentence of the statement.

    What is only a label goes with the one behind it. Of lines that each begin anew, it is one.
    """
    masked, at = judgement.statement.masked, (judgement.start, judgement.end)
    spans = sentences(masked)
    place = next(it for it, span in enumerate(spans) if at[0] < span[1])
    start, end = spans[place]
    if _LABEL.fullmatch(masked, start, end) and not (place and _BACK.match(masked, start, end)):
        end = next((it for _, it in spans[place + 1 :] if it - start <= LONGEST_EVIDENCE), end)
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
    start += len(value[start:end]) - len(value[start:end].lstrip())
    if end - start > length:
        space = value.rfind(" ", start, start + length)
        end = space if space > start else start + length
    return start, start + len(value[start:end].rstrip())
