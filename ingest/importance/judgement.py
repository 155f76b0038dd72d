"""Decides about one statement: the model's sums, corrected by the heading above it."""

import re
from dataclasses import dataclass

from ingest.importance.clues import Sighting
from ingest.importance.features import features
from ingest.importance.headings import Scope
from ingest.importance.model import CATEGORIES, score
from ingest.importance.statements import Statement
from openapi.vocabulary import Category

# Log-odds. A heading that names the category leaves no doubt; one that names another
# category or none at all makes doubtful what is not said in plain words.
SETTLED = 20.0
SECURITY_AREA = 2.3
OTHER_CATEGORY = -1.5
HARMLESS = -3.0

_NAMED = {
    Scope.BREAKING: Category.BREAKING,
    Scope.DEPRECATION: Category.DEPRECATION,
    Scope.SECURITY: Category.SECURITY,
}
# Said in so many words: no heading takes these back.
_PLAIN = frozenset({"breaking change", "footer", "bang", "action required", "cve", "ghsa"})
# "The deprecated flags have been removed" is breaking and no deprecation any more,
# unless the statement also says what is still to come.
GONE = "deprecated and gone"
NO_LONGER_DEPRECATION = -6.0
_COMING = frozenset(
    {"will be removed", "leads with deprecate", "marked deprecated", "deprecates", "will stop"}
)
_EMPTY = re.compile(
    r"\W*(?:none|n/?a|nothing|no\b.{0,60}|not applicable|there (?:are|were|is) no\b.{0,80}"
    r"|keine?\b.{0,60}|aucune?\b.{0,60}|ning[uú]n\w*\b.{0,60}|なし|ありません|无|無|没有.{0,20})\W*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement that belongs to a category, with its log-odds and its clues."""

    statement: Statement
    category: Category
    odds: float
    clues: tuple[Sighting, ...]
    by_heading: bool


def judge(statement: Statement) -> list[Judgement]:
    """Return the categories that a statement belongs to, each with why."""
    shown, found = features(statement.masked)
    sums = score(shown)
    said = {sighting.clue.name for sighting in found}
    judged = []
    for category, learnt in zip(CATEGORIES, sums, strict=True):
        odds = learnt + _heading(statement, category, said)
        if category is Category.DEPRECATION and GONE in said and not said & _COMING:
            odds += NO_LONGER_DEPRECATION
        if odds > 0.0:
            clues = tuple(each for each in found if each.clue.category is category)
            by_heading = odds >= SETTLED or (learnt <= 0.0 and statement.scope is not Scope.UNKNOWN)
            judged.append(Judgement(statement, category, odds, clues, by_heading))
    return judged


def _heading(statement: Statement, category: Category, said: set[str]) -> float:
    """Return what the heading above the statement adds to a category's log-odds."""
    scope = statement.scope
    if scope is Scope.UNKNOWN:
        return 0.0
    named = _NAMED.get(scope)
    if named is category:
        return -SETTLED if _EMPTY.fullmatch(statement.masked[:200]) else SETTLED
    if scope is Scope.SECURITY_AREA and category is Category.SECURITY:
        return SECURITY_AREA
    if said & _PLAIN:
        return 0.0
    return HARMLESS if scope is Scope.HARMLESS else OTHER_CATEGORY
