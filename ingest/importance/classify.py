"""Classification of an entry: its categories, the evidence for them and its deadlines."""

from datetime import date, datetime

from ingest.importance.deadlines import deadlines, may_hold_date
from ingest.importance.evidence import evidence
from ingest.importance.judgement import Judgement, judge
from ingest.importance.model import MODEL, Model
from ingest.importance.results import Deadline, Importance
from ingest.importance.statements import statements
from openapi.vocabulary import Category

IMPORTANCE_VERSION = 9  # goes up with every change of a rule or a weight


def classify(
    title: str | None,
    summary: str | None,
    *,
    published_at: datetime | None = None,
    model: Model = MODEL,
) -> Importance:
    """Return the categories of an entry, the evidence for them and its deadlines.

    ``title`` is one line of plain text; ``summary`` is plain text whose headings start
    with ``## `` and whose items start with ``- ``; None is nothing. ``published_at``
    gives a year to dates that have none; without it they are left out. ``model`` is the
    one that ships, except where models are measured. The same
    arguments always give the same answer, in time linear in their length.
    """
    title, summary = title or "", summary or ""
    judged: dict[Category, list[Judgement]] = {}
    dated: list[Deadline] = []
    worth = {
        field: value
        for field, value in (("title", title), ("summary", summary))
        if may_hold_date(value, published_at)
    }
    for statement in statements(title, summary):
        for judgement in judge(statement, model):
            judged.setdefault(judgement.category, []).append(judgement)
        if statement.field in worth:
            dated += deadlines(statement, worth[statement.field], published_at)
    if not (judged or dated):
        return Importance((), (), (), IMPORTANCE_VERSION)  # as of most entries
    quoted = {
        category: evidence(judged[category], title, summary)
        for category in Category
        if category in judged
    }
    return Importance(
        categories=tuple(category for category, quotes in quoted.items() if quotes),
        evidence=tuple(quote for quotes in quoted.values() for quote in quotes),
        deadlines=_unrepeated(dated),
        version=IMPORTANCE_VERSION,
    )


def _unrepeated(dated: list[Deadline]) -> tuple[Deadline, ...]:
    """Return each deadline once, as when a summary repeats its title; earliest first."""
    first: dict[tuple[str, date, date], Deadline] = {}
    for deadline in dated:
        first.setdefault((deadline.kind, deadline.from_, deadline.to), deadline)
    return tuple(
        sorted(first.values(), key=lambda deadline: (deadline.to, deadline.from_, deadline.kind))
    )
