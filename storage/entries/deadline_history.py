"""Which deadlines hold: a date that moves replaces the one before it. Pure.

Vendors announce a deadline, repeat it, and move it, in an entry of its own or by editing the one
there is. Statements about one subject are one deadline: the first statement sets it, the last one
that named another day changed it, and reminders of the same day add nothing.

When you change these rules, raise the version of the rules of importance: classifying the entries
again concludes their deadlines again.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final

from openapi.vocabulary import DeadlineKind

FARTHEST: Final = timedelta(days=3653)  # ten years; what lies beyond is a misprint
_LONG_PAST: Final = timedelta(days=366)
MOST_COMPARED: Final = 200
"""Deadlines of one source, the newest said, that a new one is compared with."""
_ALIKE: Final = 0.7  # of the words of the shorter one
_ALONE: Final = frozenset({DeadlineKind.MIGRATION, DeadlineKind.END_OF_SALE})
_THE_SAME: Final = 0.9  # of the words of both

_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATES: Final = re.compile(
    r"\b20\d\d[-/]\d\d?[-/]\d\d?\b|\b\d\d?/\d\d?/20\d\d\b"
    rf"|\b{_MONTH} \d\d?(?:st|nd|rd|th)?\b(?:,? 20\d\d\b)?"
    rf"|\b\d\d?(?:st|nd|rd|th)? (?:of )?{_MONTH}(?:,? 20\d\d)?\b"
    rf"|\b{_MONTH},? 20\d\d\b|\b[qh][1-4] 20\d\d\b|\b20\d\d\b"
    r"|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_MOVES: Final = re.compile(
    r"\b(?:(?:updat|chang|mov|extend|postpon|delay|deferr|push|reschedul|shift|revis|adjust)"
    r"(?:ed|ing)|extension|brought forward|new (?:\w+ )?(?:date|deadline|timeline)|instead of"
    r"|(?:is|are) now|(?:longer|earlier|later) than|verschoben|verlängert|reporté|prolong|aplaz)"
    r"|延期|推迟|变更",
    re.IGNORECASE,
)
# "Select feeds are shut down on 8 April" and the same of 6 May are of other feeds.
_OF_SOME: Final = re.compile(
    r"\b(?:select(?:ed)?|some|certain|several|various|multiple|numerous|additional|the following"
    r"|(?:a )?(?:few|number) of)\s",
    re.IGNORECASE,
)
_NAME: Final = re.compile(r"[\d`]|(?<=[^.!?:]\s)[^\W\d_a-z]")  # in a text without dates
_OF_DEADLINES: Final = frozenset(
    re.findall(
        r"\w+",
        """
        a an the of for to on in by at from until till through after before as and or
        with without its it this that these those they we our you your their all any has
        have had been be is are was were will would shall can cannot no not longer now
        also then than instead more must may should date dates day days deadline
        deadlines reminder announcement notice update updated updates change changed
        changes moved move extended extend postponed delayed rescheduled pushed back
        deprecated deprecation deprecate deprecating retired retire retirement retires
        retiring removed remove removal removing sunset sunsetting shut shutdown
        shutting down decommissioned decommissioning discontinued end ends ending life
        support supported servicing service maintenance stop stops working work
        available disabled enabled required mandatory migrate migration upgrade
        scheduled planned effective starting beginning reach reaches reached turned off
        eol eos new please make sure
        """,
    )
)


@dataclass(frozen=True)
class DeadlineRecord:
    """A deadline as an entry states it; both days included, evidence in the vendor's words.

    ``subject``, ``versions`` and ``successor`` are None where the entry does not say them.
    """

    kind: DeadlineKind
    first_day: date
    last_day: date
    evidence: str
    _: KW_ONLY
    subject: str | None = None
    versions: str | None = None
    successor: str | None = None

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day."""
        return self.first_day, self.last_day

    @cached_property
    def subject_words(self) -> frozenset[str]:
        """The words that say what ends."""
        return _subject_words(self.evidence)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The words of the subject that have digits."""
        return frozenset(word for word in self.subject_words if any(map(str.isdigit, word)))


@dataclass(frozen=True)
class StatedDeadline(DeadlineRecord):
    """A stored deadline with what its entry says; ``id`` and ``place`` are those of its row.

    ``replaced_at``: when an edit gave it another day, None for what the entry says now.
    ``edited_at``: when an edit gave it its day.
    """

    id: int
    entry_id: int
    place: int
    title: str
    published_at: datetime
    replaced_at: datetime | None = None
    edited_at: datetime | None = None

    @property
    def said_at(self) -> datetime:
        """When it was said first."""
        return max(self.published_at, self.edited_at or self.published_at)

    @property
    def key(self) -> tuple[int, int]:
        """The entry and the place in it, which an edit keeps."""
        return self.entry_id, self.place

    @cached_property
    def subject_words(self) -> frozenset[str]:
        """The words that say what ends; of the title, too, where the evidence has hardly any."""
        words = _subject_words(self.evidence)
        return words if len(words) > 1 else words | _subject_words(self.title)

    @property
    def moves(self) -> bool:
        """Return True if the entry says that a date was changed."""
        return bool(_MOVES.search(self.evidence) or _MOVES.search(self.title))

    @cached_property
    def is_of_some(self) -> bool:
        """Return True if it is of some things of a kind, which are others each time."""
        return bool(_OF_SOME.search(self.subject or f"{self.title} {self.evidence}"))

    @cached_property
    def is_named(self) -> bool:
        """Return True if the subject has a name or a number."""
        told = (self.subject or "", self.evidence, self.title)
        return any(_NAME.search(_DATES.sub(" ", f" {text}")) for text in told)

    @property
    def is_comparable(self) -> bool:
        """Return True if its day is neither a misprint nor long past when it was said."""
        said_on = self.said_at.date()
        return said_on - _LONG_PAST <= self.last_day <= said_on + FARTHEST


_Deadline = list[list[StatedDeadline]]
"""The days that a deadline had, the one that holds last: of each, all that stated it."""


def conclude(statements: Iterable[StatedDeadline]) -> list[dict[str, Any]]:
    """Return for each statement of a source which day of which deadline it gave, and when.

    These are columns of its row: empty where it repeats a day that was stated before.
    """
    deadlines: list[_Deadline] = []
    for stated in sorted(_with_edits(statements), key=lambda one: (one.said_at, one.key)):
        newest = reversed(deadlines[-MOST_COMPARED:])
        continued = next((one for one in newest if _continues(stated, one)), None)
        if continued is None:
            deadlines.append([[stated]])
        elif continued[-1][0].days == stated.days:
            continued[-1].append(stated)
        else:
            continued.append([stated])
    return [row for deadline in deadlines for row in _rows(deadline)]


def _rows(deadline: _Deadline) -> Iterator[dict[str, Any]]:
    names = ("id", "set_by_id", "held_from", "held_until", "repeated_at")
    announced = deadline[0][0].id
    ends = [day[0].said_at for day in deadline[1:]]
    for (first, *reminders), until in zip_longest(deadline, ends):
        last = [first, *reminders][-1]
        held = (first.id, announced, first.said_at, until, last.said_at)
        yield dict(zip(names, held, strict=True))
        yield from (dict.fromkeys(names) | {"id": one.id} for one in reminders)


def _with_edits(statements: Iterable[StatedDeadline]) -> list[StatedDeadline]:
    """Return statements with the moments of the edits that gave them their days."""
    edits: dict[tuple[int, int], datetime] = {}
    edited = []
    for one in sorted(statements, key=_when_replaced):
        edited.append(replace(one, edited_at=edits.get(one.key)))
        if one.replaced_at is not None:
            edits[one.key] = one.replaced_at
    return edited


def _when_replaced(stated: StatedDeadline) -> tuple[bool, datetime]:
    return stated.replaced_at is None, stated.replaced_at or stated.published_at


def places_after_edit(
    before: Mapping[int, DeadlineRecord], after: Sequence[DeadlineRecord]
) -> list[int | None]:
    """Return which place each deadline of an edited entry had before; None for new ones.

    Of what an entry says in the same words, or of the same subject, the day may be another one.
    """
    places: list[int | None] = [None] * len(after)
    left = dict(before)
    for is_same in (_is_unchanged, _has_same_words, _is_of_same_subject):
        for number, stated in enumerate(after):
            if places[number] is None:
                same = (place for place, one in left.items() if is_same(one, stated))
                places[number] = place = next(same, None)
                if place is not None:
                    del left[place]
    return places


def _is_unchanged(one: DeadlineRecord, other: DeadlineRecord) -> bool:
    return (one.kind, one.days, one.evidence) == (other.kind, other.days, other.evidence)


def _has_same_words(one: DeadlineRecord, other: DeadlineRecord) -> bool:
    return _kinds_agree(one.kind, other.kind) and one.subject_words == other.subject_words


def _is_of_same_subject(one: DeadlineRecord, other: DeadlineRecord) -> bool:
    return _kinds_agree(one.kind, other.kind) and _likeness(one, other) >= _ALIKE


def _continues(stated: StatedDeadline, deadline: _Deadline) -> bool:
    """Return whether a statement repeats a deadline, or moves it.

    Two deadlines of one entry are two. Another day without a word of a change is another
    deadline, unless the very same is said of something with a name.
    """
    first, last = deadline[0][0], deadline[-1][0]
    if stated.edited_at is not None:
        return any(stated.key == one.key for day in deadline for one in day)
    if stated.entry_id == last.entry_id or not _kinds_agree(stated.kind, last.kind):
        return False
    if max(_likeness(stated, last), _likeness(stated, first)) < _ALIKE:
        return False
    if not (stated.is_comparable and last.is_comparable):
        return False
    if stated.days == last.days:
        return True
    if stated.is_of_some or last.is_of_some:
        return False
    alike = _jaccard(stated.subject_words, last.subject_words) >= _THE_SAME
    return stated.moves or (alike and stated.is_named and last.is_named)


def _kinds_agree(one: DeadlineKind, other: DeadlineKind) -> bool:
    """Return whether two kinds may be one deadline: "removed" and "retired" are used alike."""
    return one is other or _ALONE.isdisjoint((one, other))


def _likeness(one: DeadlineRecord, other: DeadlineRecord) -> float:
    """Return the share of the shorter subject that is in the other; numbers have to agree."""
    if one.numbers != other.numbers:
        return 0.0
    shorter = min(len(one.subject_words), len(other.subject_words))
    return len(one.subject_words & other.subject_words) / shorter if shorter else 0.0


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    both = one | other
    return len(one & other) / len(both) if both else 0.0


def _subject_words(text: str) -> frozenset[str]:
    """Return the words of a text without dates and the words that all deadlines share."""
    words = {word.casefold() for word in _WORD.findall(_DATES.sub(" ", text))}
    return frozenset(words - _OF_DEADLINES)
