"""Clues: what they are, where they are written down, and how they are found.

A clue is a named pattern over one sentence, in lower case. What it says holds unless a clue
"against" is in the same sentence. Gaps inside a pattern are bounded, so that matching is linear.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from changelog_reader.importance.finder import finder
from changelog_reader.importance.lazy_pattern import LazyPattern, written
from changelog_reader.vocabulary import Category


@dataclass(frozen=True, slots=True)
class Clue:
    """A named pattern. ``categories`` are those that it says, or takes back.

    A ``plain`` clue counts under any heading, and one that says it ``outright``, unless another
    one ``denies`` it. One that ``opens`` is only looked for where a sentence begins.
    """

    name: str
    categories: frozenset[Category]
    pattern: LazyPattern
    plain: bool = False
    opens: bool = False
    outright: bool = False
    denies: bool = False


def _clues(**sections: Iterable[Category]) -> list[Clue]:
    """Return the clues of sections in all languages; of those that do not say, the categories."""
    return [
        Clue(
            name=name,
            categories=frozenset(map(Category, clue.pop("only", "").split() or categories)),
            pattern=LazyPattern(clue.pop("pattern"), language.get("parts", {})),
            **({"plain": "outright" in clue} | clue),
        )
        for language in _LANGUAGES
        for section, categories in sections.items()
        for name, clue in language.get(section, {}).items()
    ]


_LANGUAGES = [written("english"), written("other_languages")]
_ENGLISH = _LANGUAGES[0]
# What says a category, what takes it back, and names that are passed over.
CLUES = [_clues(**{it: [it] for it in Category}), _clues(against=Category), _clues(names=())]
SAYS, AGAINST, NAMES = (finder([(it, it.pattern, it.opens) for it in clues]) for clues in CLUES)
OPENINGS = {  # the verbs that items open with, by what they say
    name: LazyPattern(pattern, _ENGLISH["parts"]) for name, pattern in _ENGLISH["openings"].items()
}
