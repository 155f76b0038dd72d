"""Spaces around badges, which a page sets apart from the words beside them by its style only."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from changelog_reader.adapters.html.regions import ancestors
from changelog_reader.adapters.html.words import PHRASES

BADGE_NAMES: Final = ("badge", "pill", "chip", "lozenge", "label", "tag", "category")
"""What vendors call badges in their classes."""

_CALLED_BADGES: Final = ", ".join(f'[class*="{name}" i]' for name in BADGE_NAMES)
_INLINE: Final = ("span", "small", "mark", "sup", "label", "b", "strong", "em", "i", "a")
_PLAIN: Final = ", ".join(_INLINE)
_CODE: Final = frozenset({"pre", "code", "kbd", "samp"})
_LONGEST: Final = 40  # characters of a badge
_MOST: Final = 5_000  # elements of one page that are looked at
_STARTS_WORD: Final = re.compile(r"\w")


def space_badges(parser: LexborHTMLParser) -> None:
    """Put a space between badges and the words that stand right beside them: "NewEditor".

    An element is a badge if its class calls it one, or if it says what badges say and a capital
    letter follows: a style may set off the beginning of a word, too.
    """
    for node in parser.css(_CALLED_BADGES)[:_MOST]:
        if node.tag in _INLINE and 1 < len(_said(node)) <= _LONGEST and not _is_in_code(node):
            _space_before(node)
            _space_after(node)
    for node in parser.css(_PLAIN)[:_MOST]:
        said = _said(node) if _text_after(node)[:1].isupper() else ""
        is_badge = said[:1].isupper() and said.casefold() in PHRASES["badges"]
        if is_badge and not _is_in_code(node):
            _space_after(node)


def _said(node: LexborNode) -> str:
    return (node.text(deep=True) or "").strip()


def _space_before(node: LexborNode) -> None:
    before = node.prev
    if before is not None and _STARTS_WORD.match((before.text(deep=True) or "")[-1:]):
        node.insert_before(" ")


def _space_after(node: LexborNode) -> None:
    after = node.next
    if after is not None and _STARTS_WORD.match((after.text(deep=True) or "")[:1]):
        node.insert_after(" ")


def _text_after(node: LexborNode) -> str:
    after = node.next
    return (after.text_content or "") if after is not None and after.is_text_node else ""


def _is_in_code(node: LexborNode) -> bool:
    return any(above.tag in _CODE for above in (node, *ancestors(node)))
