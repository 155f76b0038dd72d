"""Classification of an entry: its categories, the evidence for them and its deadlines."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from changelog_reader.importance.deadlines import deadlines
from changelog_reader.importance.end_rows import row_ends
from changelog_reader.importance.ends import of_item, subject_of_title, versions_of
from changelog_reader.importance.evidence import evidence
from changelog_reader.importance.headings import Scope, scope_of
from changelog_reader.importance.judgement import SETTLED, Judgement, Told, judge, typed
from changelog_reader.importance.results import MOST_DEADLINES, Deadline, Evidence, Importance
from changelog_reader.importance.statements import Statement, statements
from changelog_reader.vocabulary import Category, DeadlineKind

IMPORTANCE_VERSION = 78  # goes up with every change of a rule

_OF_ENDS = {Category.BREAKING, Category.DEPRECATION}  # of what is removed or ends
_TOLD = ("subject", "versions", "successor")
_WINDOW = re.compile(r"\||\b(?:until|till|through)\b", re.IGNORECASE)


def classify(
    title: str | None,
    summary: str | None,
    *,
    published_at: datetime | None = None,
    types: Sequence[str] = (),
) -> Importance:
    """Return the categories of an entry, the evidence for them and its deadlines.

    ``title`` is one line of plain text; ``summary`` is plain text whose headings start
    with ``## `` and whose items start with ``- ``; None is nothing. ``published_at``
    gives a year to dates that have none; without it they are left out. ``types`` are what the
    vendor sorted the entry under: categories of a feed, labels, badges. The same
    arguments always give the same answer, in time linear in their length.
    """
    title, summary = title or "", summary or ""
    in_rows, rows = row_ends(title, summary)
    said = [one for one in statements(title, summary) if not (rows and _holds(one, rows))]
    judged = _judged(title, said, types)
    dated = in_rows + _dated(title, summary, said, published_at)
    ends = [deadline.evidence for deadline in dated if _is_end(deadline)]
    if not (judged or dated):
        return Importance((), (), (), IMPORTANCE_VERSION)  # as of most entries
    if ends and not judged.keys() & _OF_ENDS:
        judged[Category.DEPRECATION] = [
            Judgement(one, Category.DEPRECATION, end.start - one.start, end.end - one.start)
            for end in ends
            for one in said
            if one.field == end.field and 0 <= end.start - one.start < len(one.masked)
        ]
    quoted = {
        category: evidence(judged[category], title, summary)
        or tuple(Evidence(category, it.field, it.text, it.start, it.end) for it in ends[:1])
        for category in Category
        if category in judged
    }
    return Importance(
        categories=tuple(category for category, quotes in quoted.items() if quotes),
        evidence=tuple(quote for quotes in quoted.values() for quote in quotes),
        deadlines=_unrepeated(_named(dated, title)),
        version=IMPORTANCE_VERSION,
        in_title=any(it.statement.field == "title" for some in judged.values() for it in some),
    )


def _is_end(deadline: Deadline) -> bool:
    """Return whether something ends on a deadline that is not read from a table of versions.

    "Supported until", the support window of a release, is no end that an entry announces.
    """
    if deadline.announced is not None:
        return deadline.announced
    return deadline.kind is not DeadlineKind.MIGRATION and not _WINDOW.search(
        deadline.evidence.text
    )


def _judged(
    title: str, said: Sequence[Statement], types: Sequence[str]
) -> dict[Category, list[Judgement]]:
    """Return the judgements of the statements that matter, by category.

    The vendor's types settle categories; the title is evidence for those that nothing tells.
    """
    scopes = {scope_of(type_) for type_ in types}
    inherited = _inherited(scopes | {typed(title)})
    judged: dict[Category, list[Judgement]] = {}
    told = Told()
    for statement in said:
        for judgement in judge(statement, inherited, told):
            judged.setdefault(judgement.category, []).append(judgement)
    for scope in scopes & SETTLED.keys():
        if said and SETTLED[scope] not in judged:
            category = SETTLED[scope]
            judged[category] = [Judgement(said[0], category, by_vendor=True)]
    return judged


def _inherited(scopes: set[Scope]) -> Scope:
    """Return what the types of an entry say about all that it tells: what breaks nothing."""
    for scope in (Scope.FIXES, Scope.HARMLESS, Scope.UPKEEP):
        if scope in scopes and not scopes & SETTLED.keys():
            return Scope.UPKEEP if scope is Scope.HARMLESS else scope
    return Scope.UNKNOWN


def _dated(
    title: str, summary: str, said: Sequence[Statement], published_at: datetime | None
) -> list[Deadline]:
    """Return the deadlines that statements set, in order; of a list under one, each item's."""
    dated: list[Deadline] = []
    leading: list[Deadline] = []  # set by the statement that the list is under
    for statement in said:
        value = title if statement.field == "title" else summary
        found = deadlines(statement, value, published_at)
        is_item = value[statement.start - 2 : statement.start] == "- "
        if leading and not found and is_item and len(dated) < MOST_DEADLINES:
            item = value[statement.start : statement.start + len(statement.masked)]
            dated = [one for one in dated if one not in leading]
            dated += [of_item(one, item) for one in leading]
            continue
        dated += found
        leading = found if statement.masked.rstrip().endswith(":") else []
    return dated


def _holds(statement: Statement, rows: Sequence[int]) -> bool:
    """Return whether a statement is a table of ends, whose rows begin there."""
    if statement.field == "title":
        return False
    end = statement.start + len(statement.masked)
    return bisect_left(rows, statement.start) < bisect_left(rows, end)


def _named(dated: Sequence[Deadline], title: str) -> list[Deadline]:
    """Return deadlines with what the title says ends, where their sentences only point to it.

    A migration needs no subject.
    """
    told = subject_of_title(title)
    versions = versions_of(told or "")
    return [
        it
        if it.subject is not None or it.kind is DeadlineKind.MIGRATION
        else replace(it, subject=told, versions=versions)
        for it in dated
    ]


def _unrepeated(dated: Sequence[Deadline]) -> tuple[Deadline, ...]:
    """Return each deadline once, as when a summary repeats its title; the earliest, in order."""
    known: dict[tuple[str, date, date], list[Deadline]] = {}
    for deadline in dated:
        same = known.setdefault((deadline.kind, deadline.from_, deadline.to), [])
        place = next((at for at, one in enumerate(same) if _is_alike(one, deadline)), None)
        if place is not None:
            one = same[place]  # what another statement of it adds
            told = {name: getattr(one, name) or getattr(deadline, name) for name in _TOLD}
            same[place] = replace(one, **told)
        elif len(same) < MOST_DEADLINES:
            same.append(deadline)
    in_order = sorted(
        (deadline for same in known.values() for deadline in same),
        key=lambda deadline: (deadline.to, deadline.from_, deadline.kind),
    )
    return tuple(in_order[:MOST_DEADLINES])


def _is_alike(one: Deadline, other: Deadline) -> bool:
    """Return whether two deadlines of one day may be about the same: neither names another."""
    first, second = ((it.subject or "").casefold() for it in (one, other))
    return first in second or second in first
