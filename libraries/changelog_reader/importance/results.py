"""The results of classification: categories, the evidence for each, and deadlines.

Every span is verbatim: ``text == value[start:end]`` where ``value`` is the field it
was found in. Offsets count Unicode code points, as Python does.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal, TypeAlias

from changelog_reader.vocabulary import Category, DeadlineKind

Field: TypeAlias = Literal["title", "summary"]

LONGEST_EVIDENCE = 300  # characters; longer spans are cut at a word
MOST_EVIDENCE = 3  # spans for one category
MOST_DEADLINES = 100  # of one entry; the contract promises no more


@dataclass(frozen=True, slots=True)
class Quote:
    """A piece of one field, verbatim, at most ``LONGEST_EVIDENCE`` characters long."""

    field: Field
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The vendor's own words that put an entry into a category."""

    category: Category
    field: Field
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Deadline:
    """A date the vendor tied to a removal, the end of something, or a migration.

    ``from_`` and ``to`` are the first and the last day it can mean, both included: a
    day is from itself to itself, "Q3 2026" is 2026-07-01 to 2026-09-30. ``evidence``
    is the clause that says it, with the date in it. ``subject`` is what ends, ``versions`` which
    of its versions ("3.1", or a range: "<=3.1"), ``successor`` what the vendor says to use instead,
    each in the vendor's words and None where they do not say. ``announced`` is of rows of tables:
    False where a table of versions only lists the end.
    """

    kind: DeadlineKind
    from_: date
    to: date
    evidence: Quote
    subject: str | None = None
    versions: str | None = None
    successor: str | None = None
    announced: bool | None = None


@dataclass(frozen=True, slots=True)
class Importance:
    """Why an entry is important: no category means that it is not known to be.

    ``categories`` are in the contract's order and each has one to three ``evidence``.
    ``version`` is the version of the rules that decided; ``in_title``: the title tells it, too.
    """

    categories: tuple[Category, ...]
    evidence: tuple[Evidence, ...]
    deadlines: tuple[Deadline, ...]
    version: int
    in_title: bool = False
