"""The types that vendors show as badges beside an entry: "Deprecated", "New", "Security"."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.badge_spacing import BADGE_NAMES
from changelog_reader.adapters.html.candidate import PageItem
from changelog_reader.adapters.html.outline import text_of
from changelog_reader.content.text import one_line

_BADGES = ", ".join(f'[class*="{name}"]' for name in BADGE_NAMES)
_LONGEST = 40  # characters
_MOST = 10  # badges of one entry
_MOST_READ = 50  # of one part of the page
_PARAGRAPHS = frozenset(("p", "pre", "code"))
_PARTS = _PARAGRAPHS | {"li", "dd", "td"}  # a badge in one of them is not the entry's


def badges(item: PageItem) -> list[str]:
    """Return the badges of an entry, each once, in the order of the page."""
    texts = (one_line(text_of(node)) for node in _nodes(item))
    short = (text for text in texts if len(text) <= _LONGEST and any(map(str.isalpha, text)))
    return list(dict.fromkeys(short))[:_MOST]


def _nodes(item: PageItem) -> Iterator[LexborNode]:
    """Yield the innermost nodes that are called badges, outside of paragraphs and lists."""
    heading = () if item.heading is None else (item.heading,)
    for top in (*heading, *item.region):
        if top.is_element_node and top.tag not in _PARAGRAPHS:
            for node in top.css(_BADGES)[:_MOST_READ]:  # itself, too
                innermost = len(node.css(_BADGES)) == 1
                if innermost and not _is_in_part(node, top):
                    yield node


def _is_in_part(node: LexborNode, top: LexborNode) -> bool:
    """Return whether a node below ``top`` is in a paragraph or a list."""
    above = node
    while above.mem_id != top.mem_id:
        if above.tag in _PARTS or above.parent is None:
            return True
        above = above.parent
    return False
