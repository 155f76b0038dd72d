"""The judgement of a statement: the model's sums, corrected by the heading above it."""

import re
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from ingest.importance.clues import Sighting
from ingest.importance.features import clues_of, features
from ingest.importance.headings import Scope
from ingest.importance.model import CATEGORIES, MODEL, Model
from ingest.importance.statements import Statement
from ingest.importance.words import PLACEHOLDERS, words
from openapi.vocabulary import Category

# Log-odds. A heading that names the category leaves no doubt; one that names another
# category or none at all makes doubtful what is not said in plain words.
SETTLED = 20.0
SECURITY_AREA = 3.3
OTHER_CATEGORY = -1.5
HARMLESS = -3.0

LEAST = 0.5  # what a category's clues alone have to say: the words around them only help
# What matters may be told with weak clues or none: "please upgrade your configuration". Then the
# words alone have to add up to this, and the statement has to be short enough to be quoted as a
# whole. Vendors have the words of ends and of security where nothing ends and nothing is mended:
# those are doubted.
TELLING = {Category.BREAKING: 1.5, Category.DEPRECATION: 1.5, Category.SECURITY: 2.0}
DOUBT = {Category.BREAKING: 0.0, Category.DEPRECATION: -1.5, Category.SECURITY: -1.5}
QUOTABLE = 300  # characters
FEWEST_TOLD = 3  # words; a product and its version tell nothing
SURE = 3.0  # a statement that is surer does not need its heading quoted

LONGEST_REMEMBERED = 300  # characters; what vendors say again and again is shorter
MOST_REMEMBERED = 4_096  # statements, in less than 5 MB

_Weighed: TypeAlias = tuple[Category, float, tuple[Sighting, ...], bool]  # of a Judgement

_NOT_HEADED: frozenset[Category | None] = frozenset()
_NO_OTHER = frozenset({Category.BREAKING, None})  # where words alone may tell a breaking change
_HEADED: dict[Scope, frozenset[Category | None]] = {
    Scope.BREAKING: frozenset({Category.BREAKING}),
    Scope.DEPRECATION: frozenset({Category.DEPRECATION}),
    Scope.SECURITY: frozenset({Category.SECURITY}),
    Scope.SECURITY_AREA: frozenset({Category.SECURITY}),
    Scope.HARMLESS: _NOT_HEADED,
    Scope.UNKNOWN: _NOT_HEADED,
}
# Said in so many words: no heading takes these back.
_PLAIN = frozenset(
    {
        *("breaking change", "opens with breaking", "says it breaks", "footer", "bang"),
        *("action required", "cve", "ghsa"),
    }
)
# "The deprecated flags have been removed" is breaking and no deprecation any more,
# unless the statement also says what is still to come.
GONE = "deprecated and gone"
NO_LONGER_DEPRECATION = -6.0
_COMING = frozenset(
    {"will be removed", "leads with deprecate", "marked deprecated", "deprecates", "will stop"}
)
_EMPTY = re.compile(
    r"\W*(?:none|n/?a|nothing|not applicable|なし|ありません|無し?|无|没有.{0,20}"
    r"|(?:there (?:are|were|is) )?(?:no|keine?|aucune?|ning[uú]na?)\s(?:[\w-]+\s){0,3}?"
    r"(?:changes?|deprecations?|removals?|vulnerabilities|fixes|issues|items|updates|änderungen"
    r"|changements?|modifications?|cambios?)\b.{0,60})\W*",
    re.IGNORECASE | re.DOTALL,
)


class Judgement(NamedTuple):
    """A statement that belongs to a category, with its log-odds and its clues."""

    statement: Statement
    category: Category
    odds: float
    clues: tuple[Sighting, ...]
    by_heading: bool


def judge(statement: Statement, model: Model = MODEL) -> list[Judgement]:
    """Return the categories that a statement belongs to, each with why.

    Only what its clues or the heading argue for can be a category; a short statement can
    also belong to one by its words, and is then its own evidence.
    """
    masked, scope = statement.masked, statement.scope
    weigh = _weighed_cached if len(masked) <= LONGEST_REMEMBERED else _weighed
    judged = weigh(masked, scope, model)
    return [Judgement(statement, *weighed) for weighed in judged] if judged else []


def _weighed(masked: str, scope: Scope, model: Model) -> tuple[_Weighed, ...]:
    """Return what judge does, of the words of a statement and what stands above them."""
    headed = _NOT_HEADED if scope is Scope.UNKNOWN else _HEADED[scope]
    sightings = clues_of(masked, all_of_them=bool(headed))
    argued = {sighting.clue.category for sighting in sightings} | headed
    by_words = _categories_by_words(masked, argued, model)
    if not (argued or by_words):
        return ()
    if by_words and not sightings:
        sightings = clues_of(masked)  # what argues against counts, too
    features_ = [f"={sighting.clue.name}" for sighting in sightings]
    clue_sums = model.sums(features_)
    doubts = {category: DOUBT[category] for category in by_words}
    for category in CATEGORIES:
        if category in argued and (category in headed or clue_sums[category] >= LEAST):
            doubts[category] = 0.0
    if not doubts:
        return ()
    scores = model.scores(features_ + features(masked, words(masked)))
    names = {sighting.clue.name for sighting in sightings}
    judged = []
    for category, doubt in doubts.items():
        odds = scores[category] + doubt + _correction(masked, scope, category, names)
        if odds > 0.0:
            clues = tuple(sighting for sighting in sightings if sighting.clue.category is category)
            by_heading = category in headed and scores[category] <= SURE
            judged.append((category, odds, clues, by_heading))
    return tuple(judged)


def _categories_by_words(masked: str, argued: Set[Category | None], model: Model) -> list[Category]:
    """Return the categories that the words of a statement may tell without a clue.

    A breaking change is not among them where a clue argues for another category.
    """
    if len(masked) > QUOTABLE:
        return []
    plain = [word for word in words(masked) if word not in PLACEHOLDERS]
    if len(plain) < FEWEST_TOLD:
        return []
    sums = model.sums(plain)
    return [
        category
        for category in CATEGORIES
        if (category is not Category.BREAKING or argued <= _NO_OTHER)
        and sums[category] >= TELLING[category]
    ]


_weighed_cached = lru_cache(maxsize=MOST_REMEMBERED)(_weighed)


def _correction(masked: str, scope: Scope, category: Category, names: set[str]) -> float:
    """Return what heading and tense add to a category's log-odds."""
    odds = _heading(masked, scope, category, names)
    if category is Category.DEPRECATION and GONE in names and not names & _COMING:
        odds += NO_LONGER_DEPRECATION
    return odds


def _heading(masked: str, scope: Scope, category: Category, names: set[str]) -> float:
    """Return what the heading above the statement adds to a category's log-odds."""
    if scope is Scope.UNKNOWN:
        return 0.0
    if category in _HEADED[scope]:
        if _EMPTY.fullmatch(masked[:200]):
            return -SETTLED
        return SECURITY_AREA if scope is Scope.SECURITY_AREA else SETTLED
    if names & _PLAIN:
        return 0.0
    return HARMLESS if scope is Scope.HARMLESS else OTHER_CATEGORY
