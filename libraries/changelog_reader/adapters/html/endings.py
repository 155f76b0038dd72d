"""The end of an entry without what the page adds to every entry.

"Read more", links to the previous and the next posting, "Was this page helpful?": the page's own
words at the end of a posting's, which no vendor means as news. Only the end is looked at, and only
what consists of such words altogether.
"""

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.outline import text_of
from changelog_reader.adapters.html.signs import plain_line
from changelog_reader.adapters.html.words import WORDS

_MOST_REMOVED = 12  # from one entry
_LONGEST = 240  # characters of what is removed at a time
_LONGEST_LINK = 40  # characters of a link that leads on or elsewhere
_LEAST_MENU = 3  # links that make a menu
_LINKS = ("a", "button")
_SENTENCE_END = (".", "!", "?", "…", ":", "。", "！", "？", "›", "»", ")")

_ASKED = re.compile(
    r"^(?:was|is|did|do) (?:this|you)\b.{0,40}\b(?:help(?:ful)?|useful|like)\b"
    r"|^(?:rate this|thank you for your feedback|edit this page|last updated on)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


def drop_ending(region: Sequence[LexborNode], *, is_last: bool) -> list[LexborNode]:
    """Return a region without what the page adds at its end; of the last entry, without menus."""
    tops = list(region)
    for _ in range(_MOST_REMOVED):
        leaf = _last_leaf(tops)
        ending = None if leaf is None else _ending(leaf, tops, is_last=is_last)
        if ending is None:
            break
        tops = [top for top in tops if top.mem_id != ending.mem_id]
        ending.remove()
    return tops


def _last_leaf(tops: Sequence[LexborNode]) -> LexborNode | None:
    """Return the last text of a region; None where it ends in a picture or has none."""
    for top in reversed(tops):
        node: LexborNode | None = top
        while node is not None:
            if _says_nothing(node):
                node = _previous(node, top)
            elif node.is_text_node or node.tag == "img":
                return node if node.is_text_node else None
            else:
                node = node.last_child
    return None


def _previous(node: LexborNode, top: LexborNode) -> LexborNode | None:
    """Return what is before a node inside a region's top."""
    while node.mem_id != top.mem_id:
        if node.prev is not None:
            return node.prev
        if node.parent is None:
            return None
        node = node.parent
    return None


def _says_nothing(node: LexborNode) -> bool:
    if node.is_text_node:
        return not any(map(str.isalnum, node.text_content or ""))
    if not node.is_element_node:
        return True
    return node.tag != "img" and node.last_child is None


def _ending(leaf: LexborNode, tops: Sequence[LexborNode], *, is_last: bool) -> LexborNode | None:
    """Return the element around the last text that has only words of the page; None if none has."""
    within = {top.mem_id for top in tops}
    best: LexborNode | None = None
    node = leaf.parent if leaf.mem_id not in within else None
    while node is not None and node.is_element_node and node.tag != "body":
        is_top = node.mem_id in within
        if is_top and len(tops) == 1:
            break
        text = plain_line(node.text(deep=True, separator=" "))
        if len(text) > _LONGEST:
            break
        if _is_added(node, text, is_last=is_last):
            best = node
        if is_top:
            break
        node = node.parent
    return best


def _is_added(node: LexborNode, text: str, *, is_last: bool) -> bool:
    if _ASKED.search(text):
        return True
    links = [node] if node.tag in _LINKS else [link for name in _LINKS for link in node.css(name)]
    words = [plain_line(link.text(deep=True, separator=" ")) for link in links]
    if not links or _letters(text) != sum(map(_letters, words)):
        return False
    if len(links) == 1 and _leads_on(words[0]):
        return _stands_alone(node)
    is_short = all(len(link) <= _LONGEST_LINK for link in words)
    # The others lead to neighbours, to the top, or share the entry.
    if is_short and all(_leads_on(link) or _words_of(link) <= WORDS["elsewhere"] for link in words):
        return node.tag not in _LINKS or _stands_alone(node)
    is_menu = len(links) >= _LEAST_MENU and not any(map(str.isdigit, text))
    return is_last and is_menu and is_short


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _leads_on(link: str) -> bool:
    """Return whether a link promises the whole entry: "Read more →"."""
    words = _words_of(link)
    return (
        bool(words & WORDS["onward_surely"])
        and len(link) <= _LONGEST_LINK
        and words <= WORDS["onward"]
    )


def _words_of(link: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(link)}


def _stands_alone(node: LexborNode) -> bool:
    """Return whether nothing is before a node in its line but whole sentences."""
    before = node.prev
    while before is not None and (before.is_comment_node or not text_of(before).strip()):
        before = before.prev
    if before is None or not (
        before.is_text_node or before.tag in ("em", "span", "b", "strong", "a")
    ):
        return True
    return text_of(before).rstrip().endswith(_SENTENCE_END)
