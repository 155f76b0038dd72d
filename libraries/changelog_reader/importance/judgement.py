"""The judgement of a statement: what its sentences say, and what its vendor sorted it under."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from changelog_reader.importance.clues import AGAINST, NAMES, OPENINGS, SAYS
from changelog_reader.importance.headings import ASIDE, Scope, says_nothing, scope_of
from changelog_reader.importance.mask import FILLER, fold
from changelog_reader.importance.statements import SETTLING, Statement, sentences
from changelog_reader.vocabulary import Category

SETTLED: dict[Scope, Category] = {
    Scope.BREAKING: Category.BREAKING,
    Scope.REMOVAL: Category.BREAKING,
    Scope.DEPRECATION: Category.DEPRECATION,
    Scope.SECURITY: Category.SECURITY,
}
Told: TypeAlias = Counter[tuple[Category | None, int]]  # judgements that are at least so strong
MOST = 8  # judgements of one category that are looked at; some say the same
_ALL = frozenset(Category)
_REPAIRS = frozenset({Category.SECURITY})
_ALLOWED: dict[Scope, frozenset[Category]] = {
    Scope.DEPRECATION: frozenset({Category.DEPRECATION, Category.BREAKING}),
    Scope.SECURITY: _REPAIRS,
    Scope.SECURITY_AREA: _REPAIRS,
    Scope.FIXES: _REPAIRS,
    Scope.HARMLESS: frozenset({Category.DEPRECATION, Category.BREAKING}),  # but for additions
    Scope.UPKEEP: _REPAIRS,
}
# "Deprecated: ...", "**Security** - ...", "[breaking] ...", "1c6364c20 fix(client): ..."
_TYPED = re.compile(
    r"(?=[^-:!–—\])]{0,140}[-:!–—\])])"  # most statements have none of these: no need to try
    r"\W{0,6}(?:(?:(?=[a-f]{0,12}\d)[0-9a-f]{7,40}|\d{1,6})\W{1,4})?([^\W\d_][\w /&'’-]{1,40}?)"
    r"(?:\*\*|__|\([^()\n]{1,40}\))?[\])}]?(?:\*\*|__)?\s?(?:[:!–—]|(?<=[\])]) |- )"
)

_INDENT = re.compile(" {2,}")  # of lines that go on
_COMMIT = re.compile(r"(?=[a-f]{0,12}\d)[0-9a-f]{7,40}\s")  # told to those who build the product


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement and a category that it belongs to.

    ``start`` and ``end`` are where a clue is in it; both are 0 where only the vendor's own
    sorting tells. ``by_vendor``: that does, by a heading or a type.
    """

    statement: Statement
    category: Category
    start: int = 0
    end: int = 0
    plain: bool = False
    by_vendor: bool = False

    @property
    def strength(self) -> int:
        return 4 * self.by_vendor + 2 * self.plain + (self.end > 0)


def judge(statement: Statement, inherited: Scope, told: Told) -> list[Judgement]:
    """Return the categories that a statement belongs to, each with why.

    ``inherited`` is what the vendor says of the whole entry; what is above or in front of
    a statement is nearer to it. What is weaker than enough that is ``told`` may be left out.
    """
    commit = Scope.FIXES if _COMMIT.match(statement.masked) else Scope.UNKNOWN
    scopes = [typed(statement.masked), statement.scope, inherited, commit]
    if statement.scope in SETTLING and scopes[0] not in SETTLING:  # "fix: ..." below "Security"
        del scopes[0]
    scope = next((it for it in scopes if it != Scope.UNKNOWN), Scope.UNKNOWN)
    settles = SETTLED.get(Scope.SECURITY if scope is Scope.SECURITY_AREA else scope)
    by_category = _said(statement, scope, settles, told)
    is_new = settles in by_category or told[settles, 4] < MOST
    if is_new and (settled := _settled(statement, scope)) is not None:
        said = by_category.get(settled, Judgement(statement, settled))
        by_category[settled] = replace(said, by_vendor=True)
    found = list(by_category.values())
    told.update((it.category, at) for it in found for at in range(it.strength + 1))
    return found


def typed(masked: str) -> Scope:
    """Return the type that the vendor wrote in front of an item, as in "Deprecated: ..."."""
    match = _TYPED.match(masked)
    return scope_of(match[1]) if match else Scope.UNKNOWN


def _settled(statement: Statement, scope: Scope) -> Category | None:
    """Return the category that a heading or type settles, unless nothing is under it.

    Under "Security" alone stand repairs, or new features; under "Removed" also what tidies.
    """
    masked = statement.masked
    if scope is Scope.SECURITY_AREA and not OPENINGS["adds"].match(fold(masked)):
        scope = Scope.SECURITY
    if scope not in SETTLED or says_nothing(masked) or ASIDE.fullmatch(masked):
        return None
    said = f"removed {fold(masked[: sentences(masked)[0][1]])}"
    if scope is Scope.REMOVAL and _is_taken_back(said, Category.BREAKING):
        return None
    return SETTLED[scope]


def _said(
    statement: Statement, scope: Scope, settles: Category | None, told: Told
) -> dict[Category, Judgement]:
    """Return what the sentences of a statement say, plainly if one does; each by its own clues."""
    said: dict[Category, Judgement] = {}
    folded = fold(statement.masked)
    worth_searching = SAYS(_INDENT.sub(" ", folded))
    if not worth_searching or says_nothing(statement.masked):
        return said
    names = NAMES(folded)
    for name, _ in names:
        folded = name.pattern.sub(lambda it: FILLER * len(it[0]), folded)
    adds = OPENINGS["adds"].match(folded)
    for start, end in sentences(statement.masked):
        sentence = _INDENT.sub(" ", folded[start:end])
        if start and adds and OPENINGS["of what is new"].match(sentence):
            continue
        near = SAYS(sentence) if names or len(sentence) < len(folded) else worth_searching
        for clue, found in near:
            (category,) = clue.categories
            known = said.get(category)
            strength = 4 * (category is settles) + 2 * clue.plain + 1
            is_known = told[category, strength] >= MOST or (known and known.plain >= clue.plain)
            if is_known or not (match := next(found, None)):
                continue
            is_allowed = clue.plain or category in _allowed(scope, sentence)
            if is_allowed and not _is_taken_back(sentence, category, outright=clue.outright):
                span = start + match.start(), start + match.end()
                said[category] = Judgement(statement, category, *span, clue.plain)
    return said


@lru_cache(maxsize=8)
def _is_taken_back(sentence: str, category: Category, *, outright: bool = False) -> bool:
    """Return whether a sentence takes a category back, or denies what it says outright."""
    against = ((it, found) for it, found in AGAINST(sentence) if it.denies or not outright)
    return any(category in it.categories and next(found, None) for it, found in against)


def _allowed(scope: Scope, sentence: str) -> frozenset[Category]:
    """Return the categories of which a clue that is not plain is believed in a sentence."""
    allowed = _ALLOWED.get(scope, _ALL)
    return frozenset() if allowed and OPENINGS["adds"].match(sentence) else allowed
