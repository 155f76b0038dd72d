"""Which deadlines hold: a date that moves replaces the one before it. Pure.

Vendors announce a deadline, repeat it, and move it, in an entry of its own or by editing the one
there is. What is said of one subject is one deadline: the first statement sets it, the last one
that named another day changed it, and reminders of the same day add nothing.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from typing import Final

from openapi.vocabulary import DeadlineKind

MOST_REPLACED: Final = 10_000
"""The days that a deadline had before, the newest ones: the contract promises no more."""
MOST_COMPARED: Final = 200
"""Deadlines of one source, the newest said, that a new one is compared with."""
_ALIKE: Final = 0.7  # of the words of the shorter one
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
class StatedDeadline:
    """A deadline as one entry states it; ``key`` is the entry's key and the deadline's place.

    ``edited_at``: when an edit gave it its day; ``replaced_at``: when an edit gave it another one,
    None for what the entry says now.
    """

    key: tuple[int, int]
    source_id: int
    kind: DeadlineKind
    first_day: date
    last_day: date
    evidence: str
    title: str
    published_at: datetime
    replaced_at: datetime | None = None
    edited_at: datetime | None = None

    @property
    def said_at(self) -> datetime:
        """When it was said first."""
        return self.published_at if self.edited_at is None else self.edited_at

    @property
    def days(self) -> tuple[date, date]:
        """The first and the last day."""
        return self.first_day, self.last_day

    @cached_property
    def subject(self) -> frozenset[str]:
        """The words that say what ends; of the title, too, where the evidence has hardly any."""
        words = _subject_words(self.evidence)
        return words if len(words) > 1 else words | _subject_words(self.title)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The words of the subject that have digits."""
        return frozenset(word for word in self.subject if any(map(str.isdigit, word)))

    @property
    def moves(self) -> bool:
        """Return True if the entry says that a date was changed."""
        return bool(_MOVES.search(self.evidence) or _MOVES.search(self.title))


@dataclass(slots=True)
class CurrentDeadline:
    """A deadline that holds: as it was stated last, first, and in between.

    ``set_by`` is what announced it. ``replaced`` are the statements whose days hold no longer,
    ``keys`` those of all that was said of it.
    """

    stated: StatedDeadline
    set_by: StatedDeadline
    replaced: list[StatedDeadline] = field(default_factory=list)
    keys: set[tuple[int, int]] = field(default_factory=set)


def current_deadlines(statements: Iterable[StatedDeadline]) -> list[CurrentDeadline]:
    """Return the deadlines that hold, in the order in which they were set."""
    by_source: defaultdict[int, list[StatedDeadline]] = defaultdict(list)
    for stated in with_edits(statements):
        by_source[stated.source_id].append(stated)
    return [
        deadline
        for of_source in by_source.values()
        for deadline in _of_source(sorted(of_source, key=lambda one: (one.said_at, one.key)))
    ]


def with_edits(statements: Iterable[StatedDeadline]) -> Iterator[StatedDeadline]:
    """Yield statements with the moments of the edits that moved them.

    What an edit replaced counts as long as the entry still states the deadline of its place.
    """
    by_key: defaultdict[tuple[int, int], list[StatedDeadline]] = defaultdict(list)
    for stated in statements:
        by_key[stated.key].append(stated)
    for versions in by_key.values():
        versions.sort(key=lambda one: (one.replaced_at is None, one.replaced_at or one.said_at))
        if versions[-1].replaced_at is not None:
            continue
        moment = None
        for version in versions:
            yield version if moment is None else replace(version, edited_at=moment)
            moment = version.replaced_at


def places_after_edit(
    before: Sequence[StatedDeadline], after: Sequence[StatedDeadline]
) -> list[int | None]:
    """Return which place each deadline of an edited entry had before; None for new ones.

    Of what an entry says in the same words, or of the same subject, the day may be another one.
    """
    places: list[int | None] = [None] * len(after)
    left = list(before)
    for is_same in (_is_unchanged, _has_same_words, _is_of_same_subject):
        for number, stated in enumerate(after):
            if places[number] is None:
                places[number] = _take(left, stated, is_same)
    return places


def _take(
    left: list[StatedDeadline],
    stated: StatedDeadline,
    is_same: Callable[[StatedDeadline, StatedDeadline], bool],
) -> int | None:
    """Take the deadline out that is the same; return its place."""
    for one in left:
        if is_same(one, stated):
            left.remove(one)
            return one.key[1]
    return None


def _is_unchanged(one: StatedDeadline, other: StatedDeadline) -> bool:
    return (one.kind, one.days, one.evidence) == (other.kind, other.days, other.evidence)


def _has_same_words(one: StatedDeadline, other: StatedDeadline) -> bool:
    return _kinds_agree(one.kind, other.kind) and one.subject == other.subject


def _is_of_same_subject(one: StatedDeadline, other: StatedDeadline) -> bool:
    return _kinds_agree(one.kind, other.kind) and _likeness(one, other) >= _ALIKE


def _of_source(statements: Sequence[StatedDeadline]) -> Iterator[CurrentDeadline]:
    deadlines: list[CurrentDeadline] = []
    for stated in statements:
        before = next(
            (
                deadline
                for deadline in reversed(deadlines[-MOST_COMPARED:])
                if _continues(stated, deadline)
            ),
            None,
        )
        if before is None:
            deadlines.append(CurrentDeadline(stated, stated, keys={stated.key}))
            continue
        before.keys.add(stated.key)
        if before.stated.days != stated.days:
            before.replaced.append(before.stated)
            del before.replaced[:-MOST_REPLACED]
            before.stated = stated
    yield from deadlines


def _continues(stated: StatedDeadline, deadline: CurrentDeadline) -> bool:
    """Return whether a statement repeats a deadline, or moves it.

    Two deadlines of one entry are two. Another day without a word of a change is another
    deadline, unless the very same is said of it.
    """
    last = deadline.stated
    if stated.edited_at is not None:
        return stated.key in deadline.keys
    if stated.key[0] == last.key[0] or not _kinds_agree(stated.kind, last.kind):
        return False
    if max(_likeness(stated, last), _likeness(stated, deadline.set_by)) < _ALIKE:
        return False
    return (
        stated.days == last.days
        or stated.moves
        or _jaccard(stated.subject, last.subject) >= _THE_SAME
    )


def _kinds_agree(one: DeadlineKind, other: DeadlineKind) -> bool:
    """Return whether two kinds may be one deadline: "removed" and "retired" are used alike."""
    return one is other or DeadlineKind.MIGRATION not in (one, other)


def _likeness(one: StatedDeadline, other: StatedDeadline) -> float:
    """Return the share of the shorter subject that is in the other; numbers have to agree."""
    if one.numbers != other.numbers:
        return 0.0
    shorter = min(len(one.subject), len(other.subject))
    return len(one.subject & other.subject) / shorter if shorter else 0.0


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    both = one | other
    return len(one & other) / len(both) if both else 0.0


def _subject_words(text: str) -> frozenset[str]:
    """Return the words of a text without dates and the words that all deadlines share."""
    words = {word.casefold() for word in _WORD.findall(_DATES.sub(" ", text))}
    return frozenset(words - _OF_DEADLINES)
