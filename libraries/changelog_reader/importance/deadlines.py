"""Forward dates that a vendor tied to a removal, an end of life or a migration.

A sentence says a deadline when a date is linked to such an event and to no other: the
nearest event before the date decides, or the next one after it where the sentence opens
with the date ("On 1 June 2027 we will remove ..."). Whatever is past, doubtful or
negated is left out, because a wrong date in a calendar costs more than a missing one.
"""

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from changelog_reader.importance.clues import compiled
from changelog_reader.importance.dates import Mention, mentions
from changelog_reader.importance.ends import End, completed, end_after, end_of, kind_of
from changelog_reader.importance.evidence import cut
from changelog_reader.importance.lazy_pattern import LazyPattern
from changelog_reader.importance.mask import fold
from changelog_reader.importance.results import LONGEST_EVIDENCE, Deadline, Quote
from changelog_reader.importance.statements import Statement
from changelog_reader.vocabulary import DeadlineKind

FARTHEST = 160  # characters between an event and its date

_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    *("Mär", "Mai", "Okt", "Dez", "Ene", "Abr", "Ago", "Dic", "Avr", "Aoû", "Fév", "Jui", "Déc"),
)
# Most entries have no date. What every date has, without and with a day of publication.
_MAY_HOLD_YEAR = re.compile(r"20\d\d")
_MAY_HOLD_DATE = re.compile("|".join((r"20\d\d", "year", *_MONTHS)))
# The same with its edges, so that most sentences are not searched for a date. Each alternative
# begins with a letter or a digit and looks back from there: a search skips from one to the next.
_YEAR = r"2(?<![\d#]2)0\d\d(?!\d)"
_HOLDS_YEAR = re.compile(_YEAR)
_HOLDS_YEAR_OR_MONTH = re.compile(
    "|".join((_YEAR, *(rf"{month}(?<!\w{month})[^\W\d_]{{0,7}}\b" for month in _MONTHS)))
    + r"|year(?<!\wyear)\b"
)


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that happens at a time; ``kind`` is None when it is no deadline."""

    kind: DeadlineKind | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Dated:
    """A sentence in lower case with its dates, of which those ``ahead`` are not past."""

    span: tuple[int, int]
    folded: str
    dates: list[Mention]
    ahead: list[Mention]


def _load(path: Path) -> dict[str, LazyPattern]:
    """Read the patterns, one alternation for each kind of event."""
    sections = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = sections.pop("parts")
    return {
        name: compiled("|".join(f"(?:{pattern})" for pattern in section["patterns"]), parts)
        for name, section in sections.items()
    }


_PATTERNS = _load(Path(__file__).with_name("patterns") / "deadlines.toml")
_DOUBT, _LINK, _NEEDED = (_PATTERNS.pop(name) for name in ("doubt", "link", "needed"))
_MAY = re.compile(r"\bmay\b")  # the month has a capital
_REPLACING = 40  # characters before a date in which another may be said to replace it
_MOST_REPLACED = 12  # dates of a sentence of which one may replace another
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|rather than|(?:was |were )?(?:originally|initially|previously|formerly)"
    r"|no longer|not|(?:new|changed?|changes|moved|extended|postponed|delayed|pushed(?: back)?"
    r"|rescheduled|brought forward) from)\s(?:(?:planned|scheduled|announced|set|due)\s)?"
    r"(?:(?:for|on|in|as|by|the)\s){0,2}$"
)
_FROM = re.compile(r"\bfrom\s(?:the\s)?(?:\w+day,?\s)?$")
_TO = re.compile(r"[^;.]{0,12}?\b(?:to|until|till)\s")
_WHICH = re.compile(r",? (?:after which|at which (?:point|time)|from which(?: \w+)? on|when)\b")
_OPENS_CLAUSE = re.compile(
    r"(?:,|;|\band|\bbut|\bthen)\s(?:and\s|but\s|then\s){0,2}"
    r"(?:on|in|by|from|as of|after|effective)\s(?:the\s)?$"
    r"|\b(?:starting|beginning)\swith\b[^.;,]{0,60}$"
)
_BY = re.compile(
    r"\b(?:by|before|until|no later than|prior to|bis|vor|avant|antes de|hasta)\s(?:\w+\s){0,3}$"
)
_THAT_DATE = re.compile(
    r"(?:after|from|as of|starting|beginning|on|by|past|once)(?: on)? (?:this|that|the above) "
    r"(?:date|day|time|point|deadline)(?: (?:on(?:wards?)?|passes|has passed))?\b"
    r"|(?:thereafter|afterwards?|after that|from then on|from there on)\b"
    r"|(?:after|following) (?:the |its )?(?:deprecation|retirement|removal|shut ?down|sunset)\b"
)
_FAILS = re.compile(  # what no longer works, told in the present
    r"(?<!not )(?<!n't )(?<!never )\b(?:fails?|errors? out"
    r"|(?:is|are) (?:rejected|refused|blocked|ignored)"
    r"|(?:returns?|gets?|receives?|responds? with) (?:an? |the |only )?(?:\w+ )?"
    r"(?:[45]\d\d|http [45]\d\d|errors?(?! \w+at\b)|gone))\b"
)
_KINDS = {name: None if name == "other" else DeadlineKind(name) for name in _PATTERNS}


def may_hold_date(text: str, published_at: datetime | None) -> bool:
    """Return whether a text may hold a date; False is certain, True is not."""
    return bool((_MAY_HOLD_YEAR if published_at is None else _MAY_HOLD_DATE).search(text))


def deadlines(statement: Statement, value: str, published_at: datetime | None) -> list[Deadline]:
    """Return the deadlines that a statement of the field ``value`` sets, in order.

    With ``published_at`` a deadline is never before that day, and a date without a
    year is the next one.
    """
    holds_date = _HOLDS_YEAR if published_at is None else _HOLDS_YEAR_OR_MONTH
    if not holds_date.search(statement.masked):
        return []
    published_on = None if published_at is None else published_at.date()
    listed: list[Deadline] = []
    before: _Dated | None = None
    spans = list(statement.sentences())
    for number, (start, end) in enumerate(spans):
        dated = None
        if holds_date.search(statement.masked, start, end):
            dated = _dated(statement, (start, end), published_on)
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
    written = statement.masked[span[0] : span[1]]
    folded = fold(written)
    dates = list(mentions(written, published_on))
    few = len(dates) <= _MOST_REPLACED
    replaced = [mention for mention in dates if few and _is_replaced(folded, mention)]
    for mention in replaced:
        folded = _without(folded, mention)
    dates = [mention for mention in dates if mention not in replaced]
    ahead = [mention for mention in dates if published_on is None or mention.last >= published_on]
    if not ahead or _DOUBT.search(folded) or _MAY.search(written):
        return None
    return _Dated(span, folded, dates, ahead)


def _is_replaced(folded: str, mention: Mention) -> bool:
    """Return whether the words before a date say that it is the one that held until now."""
    near = folded[max(0, mention.start - _REPLACING) : mention.start]
    if _INSTEAD_OF.search(near):
        return True
    return bool(_FROM.search(near) and _TO.match(folded, mention.end))


def _without(folded: str, mention: Mention) -> str:
    """Return a sentence in which a date and the words that replace it are blank."""
    at = max(0, mention.start - _REPLACING)
    near = folded[at : mention.start]
    said = _FROM.search(near) or _INSTEAD_OF.search(near)
    start = at + said.start() if said else mention.start
    end = mention.end + (folded[mention.end : mention.end + 1] in (",", ")"))
    return folded[:start] + " " * (end - start) + folded[end:]


def _in_sentence(statement: Statement, value: str, dated: _Dated) -> Iterator[Deadline]:
    """Yield the deadlines of one sentence."""
    folded = dated.folded
    if not _NEEDED.search(folded):
        return
    events = _events(folded)
    for mention in dated.ahead:
        event = _governing(folded, mention, dated, events)
        if (event is None or event.kind is None) and len(dated.dates) == 1:
            event = _on_that_date(folded, mention, events)
        if event is None or event.kind is None or _is_loose(folded, event, mention):
            continue
        offset = statement.start + dated.span[0]
        left, right = min(event.start, mention.start), max(event.end, mention.end)
        start, end = _clause(folded, left, right, open_end=right == event.end)
        sentence = value[offset : statement.start + dated.span[1]]
        on = mention.start, mention.end
        ends = end_of(sentence, event.kind, (event.start, event.end), on)
        yield _deadline(statement, value, event.kind, mention, (offset + start, offset + end), ends)


def _is_loose(folded: str, event: _Event, mention: Mention) -> bool:
    """Return whether a date is not one to act by: "updates ..., as in September"."""
    if event.kind is not DeadlineKind.MIGRATION:
        return False
    before = folded[max(0, mention.start - 40) : mention.start]
    has_digits = any(map(str.isdigit, folded[mention.start : mention.end]))
    return before.endswith("(") or not (has_digits or _BY.search(before))


def _on_that_date(folded: str, mention: Mention, events: list[_Event]) -> _Event | None:
    """Return the event behind a sentence's only date that the sentence points back to it with.

    "It will be deprecated by 1 November and is no longer supported after that date."
    """
    pointing = _THAT_DATE.search(folded, mention.end)
    if pointing is None:
        return None
    ended = bisect_right(events, pointing.start(), key=_end)
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
    pointing = _THAT_DATE.match(folded)
    if pointing is None or len(before.dates) != 1 or _DOUBT.search(folded):
        return
    near = folded[: pointing.end() + FARTHEST]
    events = _events(near) if _NEEDED.search(folded) else []
    event = next((event for event in events if event.start >= pointing.end()), None)
    kind = event.kind if event is not None else None
    if event is None and _FAILS.search(near, pointing.end()):
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
    ends = end_after(told, after)
    yield _deadline(statement, value, kind, mention, (first, end), ends)


def _deadline(
    statement: Statement,
    value: str,
    kind: DeadlineKind,
    mention: Mention,
    span: tuple[int, int],
    ends: End,
) -> Deadline:
    start, end = cut(value, *span)
    quote = Quote(statement.field, value[start:end], start, end)
    return Deadline(kind, mention.first, mention.last, quote, *ends)


def _events(folded: str) -> list[_Event]:
    """Return everything that happens in a sentence, in order, without overlaps."""
    overlapping = [
        _Event(kind_of(_KINDS[name], match[0], folded), match.start(), match.end())
        for name, pattern in _PATTERNS.items()
        for match in pattern.finditer(folded)
    ]
    chosen: list[_Event] = []  # in order
    for event in sorted(overlapping, key=lambda event: (event.start - event.end, event.start)):
        place = bisect_left(chosen, event.end, key=_start)
        if place == 0 or chosen[place - 1].end <= event.start:
            chosen.insert(place, event)
    return chosen


def _ahead(events: list[_Event], dates: list[Mention]) -> list[_Event]:
    """Return the events that a date before them may belong to: no other has its own behind it."""
    return [event for event in events if event.kind is not None or not _is_dated(event, dates)]


def _governing(folded: str, mention: Mention, dated: _Dated, events: list[_Event]) -> _Event | None:
    """Return the event that a date belongs to, or None when that is not certain."""
    begun = bisect_right(events, mention.start, key=_start)
    if begun and mention.end <= events[begun - 1].end:
        return events[begun - 1]  # Chinese: "will, on 1 March, be taken down"
    if not _LINK.search(folded, max(0, mention.start - 60), mention.start):
        return None
    dates_before = bisect_right(dated.dates, mention.start, key=_end)
    since = dated.dates[dates_before - 1].end if dates_before else 0
    ended = bisect_right(events, mention.start, key=_end)
    before = events[max(0, ended - 1) : ended]
    ahead = _ahead(events, dated.dates)
    place = bisect_left(ahead, mention.end, key=_start)
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
    if _WHICH.match(folded, mention.end):
        return True
    near = folded[max(0, mention.start - 80) : mention.start]
    return bool(_OPENS_CLAUSE.search(near))


def _is_dated(event: _Event, dates: list[Mention]) -> bool:
    """Return whether an event has a date of its own right behind it."""
    place = bisect_left(dates, event.end, key=_start)
    return place < len(dates) and dates[place].start - event.end <= 12


def _start(stretch: _Event | Mention) -> int:
    return stretch.start


def _end(stretch: _Event | Mention) -> int:
    return stretch.end


def _clause(folded: str, left: int, right: int, *, open_end: bool) -> tuple[int, int]:
    """Widen to the whole statement of event and date, as far as evidence may be long.

    It begins with the sentence; where the event comes last, what happens to whom still
    follows (``open_end``), so it runs to the end of the sentence.
    """
    semicolon = folded.rfind(";", 0, left)
    start = 0 if right <= LONGEST_EVIDENCE else semicolon + 1 or left
    fits = open_end and len(folded) - start <= LONGEST_EVIDENCE
    return start, len(folded) if fits else right
