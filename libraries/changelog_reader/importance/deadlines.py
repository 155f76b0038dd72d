"""Forward dates that a vendor tied to a removal, an end of life or a migration.

A sentence says a deadline when a date is linked to such an event and to no other: the
nearest event before the date decides, or the next one after it where the sentence opens
with the date ("On 1 June 2027 we will remove ..."). Whatever is doubtful or negated is left
out, and what is past unless it is told as an end ("reached end of life on ..."), because a
wrong date in a calendar costs more than a missing one.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from datetime import date, datetime
from operator import attrgetter
from typing import NamedTuple

from changelog_reader.importance.dates import OPENINGS, YEAR, Mention, mentions
from changelog_reader.importance.ends import End, completed, end_after, end_of, is_apart, kind_of
from changelog_reader.importance.evidence import cut
from changelog_reader.importance.finder import finder
from changelog_reader.importance.lazy_pattern import LazyPattern, written
from changelog_reader.importance.mask import fold
from changelog_reader.importance.results import LONGEST_EVIDENCE, Deadline, Quote
from changelog_reader.importance.statements import Statement, sentences
from changelog_reader.vocabulary import DeadlineKind

FARTHEST = 160  # characters between an event and its date

# Most sentences have no date. What every date has, without and with a day of publication.
_HOLDS_YEAR_OR_MONTH = re.compile("|".join((YEAR.pattern, "year", *OPENINGS)))
_SECTIONS = written("deadlines")
_PARTS = _SECTIONS.pop("parts")
_SAID = {name: LazyPattern(pattern) for name, pattern in _SECTIONS.pop("said").items()}
_PATTERNS = {  # one alternation for each kind of event
    name: LazyPattern("|".join(section["patterns"]), _PARTS) for name, section in _SECTIONS.items()
}
_DOUBT, _LINK = (_PATTERNS.pop(name) for name in ("doubt", "link"))
_DOUBTS, _EVENTS = finder([("", _DOUBT, False)]), finder([(*it, False) for it in _PATTERNS.items()])
_MAY = re.compile(r"\bmay\b")  # the month has a capital
_REPLACING = 40  # characters before a date in which another may be said to replace it
_MOST_REPLACED = 12  # dates of a sentence of which one may replace another
_KINDS = {name: None if name == "other" else DeadlineKind(name) for name in _PATTERNS}


class _Event(NamedTuple):
    """Something that happens at a time; ``kind`` is None when it is not a deadline."""

    kind: DeadlineKind | None
    start: int
    end: int


class _Dated(NamedTuple):
    """A sentence in lower case with its dates, of which those ``ahead`` are not past."""

    span: tuple[int, int]
    folded: str
    dates: list[Mention]
    ahead: list[Mention]


def deadlines(statement: Statement, value: str, published_at: datetime | None) -> list[Deadline]:
    """Return the deadlines that a statement of the field ``value`` sets, in order.

    With ``published_at`` a date before that day is only one of what has ended, and a date
    without a year is the next one.
    """
    holds_date = YEAR if published_at is None else _HOLDS_YEAR_OR_MONTH
    if not holds_date.search(statement.masked):
        return []
    published_on = None if published_at is None else published_at.date()
    listed: list[Deadline] = []
    before: _Dated | None = None
    spans = sentences(statement.masked)
    for number, (start, end) in enumerate(spans):
        holds = holds_date.search(statement.masked, start, end)
        dated = _dated(statement, (start, end), published_on) if holds else None
        if dated is not None:
            set_here = list(_in_sentence(statement, value, dated))
            around = spans[max(0, number - 1) : number + 2]
            told = [value[statement.start + at : statement.start + to] for at, to in around]
            listed += [completed(deadline, told) for deadline in set_here]
            before = None if set_here else dated
        elif before is not None:
            listed += _after_that_date(statement, value, before, (start, end))
            before = None
    return listed


def _dated(statement: Statement, span: tuple[int, int], published_on: date | None) -> _Dated | None:
    """Return a sentence with its dates; None when it has none that a deadline could be.

    A date that another one replaces ("moved from 1 May to 3 August") is none of them.
    """
    said = statement.masked[span[0] : span[1]]
    folded = fold(said)
    dates = list(mentions(said, published_on))
    for mention in [*dates] if len(dates) <= _MOST_REPLACED else ():
        replaced = _replaced(folded, mention)
        if replaced is not None:
            start, end = replaced
            folded = folded[:start] + " " * (end - start) + folded[end:]
            dates.remove(mention)
    ahead = [mention for mention in dates if published_on is None or mention.last >= published_on]
    if not dates or any(next(it, None) for _, it in _DOUBTS(folded)) or _MAY.search(said):
        return None
    return _Dated(span, folded, dates, ahead)


def _replaced(folded: str, mention: Mention) -> tuple[int, int] | None:
    """Return the span of a date and of the words before it that say that it held until now."""
    at = max(0, mention.start - _REPLACING)
    near = folded[at : mention.start]
    since, instead = _SAID["from"].search(near), _SAID["instead"].search(near)
    said = since or instead
    if said is None or (instead is None and not _SAID["to"].match(folded, mention.end)):
        return None
    end = mention.end + (folded[mention.end : mention.end + 1] in (",", ")"))
    return at + said.start(), end


def _in_sentence(statement: Statement, value: str, dated: _Dated) -> Iterator[Deadline]:
    """Yield the deadlines of one sentence."""
    folded = dated.folded
    events = _events(folded)
    if not any(event.kind for event in events):
        return
    for mention in dated.dates:
        event = _governing(folded, mention, dated, events)
        if (event is None or event.kind is None) and len(dated.dates) == 1:
            event = _on_that_date(folded, mention, events)
        if event is None or event.kind is None or _is_loose(folded, event, mention):
            continue
        if mention not in dated.ahead and not _SAID["ended"].match(folded[event.start : event.end]):
            continue
        offset = statement.start + dated.span[0]
        left, right = min(event.start, mention.start), max(event.end, mention.end)
        start, end = _clause(folded, left, right, open_end=right == event.end)
        sentence = value[offset : statement.start + dated.span[1]]
        ends = end_of(sentence, event.kind, (event.start, event.end), mention[:2])
        if not is_apart(ends.subject):
            span = offset + start, offset + end
            yield _deadline(statement, value, event.kind, mention, span, ends)


def _is_loose(folded: str, event: _Event, mention: Mention) -> bool:
    """Return whether a date is not one to act by: "updates ..., as in September"."""
    if event.kind is not DeadlineKind.MIGRATION:
        return False
    before = folded[max(0, mention.start - 40) : mention.start]
    has_digits = any(map(str.isdigit, folded[mention.start : mention.end]))
    return before.endswith("(") or not (has_digits or _SAID["by"].search(before))


def _on_that_date(folded: str, mention: Mention, events: list[_Event]) -> _Event | None:
    """Return the event behind a sentence's only date that the sentence points back to it with.

    "It will be deprecated by 1 November and is no longer supported after that date."
    """
    pointing = _SAID["then"].search(folded, mention.end)
    if pointing is None:
        return None
    ended = bisect_right(events, pointing.start(), key=attrgetter("end"))
    event = events[ended - 1] if ended else None
    is_near = event is not None and 0 <= pointing.start() - event.end <= 40
    return event if event is not None and is_near and event.start >= mention.end else None


def _after_that_date(
    statement: Statement, value: str, before: _Dated, span: tuple[int, int]
) -> Iterator[Deadline]:
    """Yield the deadline of a sentence that points to the only date of the one before it.

    "It will be deprecated on 1 February. After that date, requests will fail."
    """
    folded = fold(statement.masked[span[0] : span[1]])
    pointing = _SAID["then"].match(folded)
    is_sure = before.ahead and len(before.dates) == 1
    if not pointing or not is_sure or any(next(it, None) for _, it in _DOUBTS(folded)):
        return
    near = folded[: pointing.end() + FARTHEST]
    event = next((it for it in _events(near) if it.start >= pointing.end()), None)
    kind = event.kind if event is not None else None
    if event is None and _SAID["fails"].search(near, pointing.end()):
        kind = DeadlineKind.REMOVAL
    if kind is None:
        return
    first, mention = statement.start + before.span[0], before.ahead[0]
    end = statement.start + span[0] + len(folded.rstrip())
    if end - first > LONGEST_EVIDENCE:
        first += max(0, mention.start - _REPLACING)
        end = min(end, first + LONGEST_EVIDENCE)
    told = value[statement.start + before.span[0] : statement.start + before.span[1]]
    after = value[statement.start + span[0] : statement.start + span[1]]
    yield _deadline(statement, value, kind, mention, (first, end), end_after(told, after))


def _deadline(
    told: Statement, value: str, kind: DeadlineKind, on: Mention, at: tuple[int, int], ends: End
) -> Deadline:
    start, end = cut(value, *at)
    quote = Quote(told.field, value[start:end], start, end)
    return Deadline(kind, on.first, on.last, quote, *ends)


def _events(folded: str) -> list[_Event]:
    """Return everything that happens in a sentence, in order, without overlaps."""
    overlapping = [
        _Event(kind_of(_KINDS[name], match[0], folded), match.start(), match.end())
        for name, found in _EVENTS(folded)
        for match in found
    ]
    chosen: list[_Event] = []  # in order
    for event in sorted(overlapping, key=lambda event: (event.start - event.end, event.start)):
        place = bisect_left(chosen, event.end, key=attrgetter("start"))
        if place == 0 or chosen[place - 1].end <= event.start:
            chosen.insert(place, event)
    return chosen


def _governing(folded: str, mention: Mention, dated: _Dated, events: list[_Event]) -> _Event | None:
    """Return the event that a date belongs to, or None when that is not certain."""
    begun = bisect_right(events, mention.start, key=attrgetter("start"))
    if begun and mention.end <= events[begun - 1].end:
        return events[begun - 1]  # Chinese: "will, on 1 March, be taken down"
    adjoins = any(it.kind is not None and it.end == mention.start - 1 for it in events)
    if not adjoins and not _LINK.search(folded, max(0, mention.start - 60), mention.start):
        return None
    dates_before = bisect_right(dated.dates, mention.start, key=attrgetter("end"))
    since = dated.dates[dates_before - 1].end if dates_before else 0
    ended = bisect_right(events, mention.start, key=attrgetter("end"))
    before = events[max(0, ended - 1) : ended]
    # An event that is not a deadline and has its own date behind it is not that of one before it.
    ahead = [it for it in events if it.kind is not None or not _is_dated(it, dated.dates)]
    place = bisect_left(ahead, mention.end, key=attrgetter("start"))
    after = ahead[place : place + 1]
    chosen: _Event | None
    says_before = before and before[-1].start >= since and before[-1].kind is not None
    if after and not says_before and _opens(folded, mention):
        chosen = after[0]
    elif before and before[-1].start >= since:
        chosen = before[-1]
    elif after and after[0].start - mention.end <= FARTHEST:
        chosen = after[0]
    else:
        chosen = before[-1] if before else None
    if chosen is None or mention.start - chosen.end > FARTHEST:
        return None
    return chosen


def _opens(folded: str, mention: Mention) -> bool:
    """Return whether what follows a date is what happens then: ", and in July it is removed"."""
    near = folded[max(0, mention.start - 80) : mention.start]
    return bool(_SAID["which"].match(folded, mention.end) or _SAID["opens"].search(near))


def _is_dated(event: _Event, dates: list[Mention]) -> bool:
    """Return whether an event has a date of its own right behind it."""
    place = bisect_left(dates, event.end, key=attrgetter("start"))
    return place < len(dates) and dates[place].start - event.end <= 12


def _clause(folded: str, left: int, right: int, *, open_end: bool) -> tuple[int, int]:
    """Widen to the whole statement of event and date, as far as evidence may be long.

    It begins with the sentence; where the event comes last, what happens to whom still
    follows (``open_end``), so it runs to the end of the sentence.
    """
    semicolon = folded.rfind(";", 0, left)
    start = 0 if right <= LONGEST_EVIDENCE else semicolon + 1 or left
    fits = open_end and len(folded) - start <= LONGEST_EVIDENCE
    return start, len(folded) if fits else right
