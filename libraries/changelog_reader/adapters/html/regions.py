"""The regions of a page that belong to its entries.

An entry's region is the largest element around its start that holds no other start; where
entries lie flat side by side it is the start and its following siblings up to the next one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.outline import text_of

_NOT_CONTENT = frozenset({"footer", "form", "aside", "nav"})
_WHOLE = frozenset({"article", "main"})  # what stands around these is not of the posting inside


def regions(
    starts: Sequence[LexborNode], root: LexborNode, boundaries: Sequence[LexborNode] = ()
) -> list[tuple[LexborNode, ...]]:
    """Return each start's region, in the order of the starts.

    ``boundaries`` are other nodes that no region may contain, such as headings above.
    """
    holds = _held([*starts, *boundaries])
    if len(starts) == 1:
        return [_region_alone(starts[0], root, holds)]
    tops = [_top(start, root, holds) for start in starts]
    trails = [_following(top, holds) for top in tops]
    inner = [
        bool(trail) for start, top, trail in zip(starts, tops, trails, strict=True) if top != start
    ][:-1]
    take_trails = bool(inner) and sum(inner) * 2 > len(inner)
    return [
        (top, *trail) if same(top, start) or take_trails else (top,)
        for start, top, trail in zip(starts, tops, trails, strict=True)
    ]


def ancestors(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the nodes around a node, the innermost first."""
    above = node.parent
    while above is not None:
        yield above
        above = above.parent


def same(one: LexborNode, other: LexborNode) -> bool:
    """Return whether two handles mean one node."""
    return one.mem_id == other.mem_id


def _held(nodes: Sequence[LexborNode]) -> Counter[int]:
    holds: Counter[int] = Counter()
    for node in {node.mem_id: node for node in nodes}.values():
        holds.update(holder.mem_id for holder in (node, *ancestors(node)))
    return holds


def _region_alone(
    start: LexborNode, root: LexborNode, holds: Counter[int]
) -> tuple[LexborNode, ...]:
    """Return the region of the only start: what follows it, or what follows the header it is in.

    Of the elements around it the innermost one counts behind which most of the text stands that
    follows the start at all, inside the article or the main part.
    """
    levels: list[tuple[tuple[LexborNode, ...], int]] = []
    top, following = start, 0
    while True:
        trail = _following(top, holds)
        following += sum(len("".join(text_of(node).split())) for node in trail)
        levels.append(((top, *trail), following))
        parent = top.parent
        if parent is None or same(parent, root) or top.tag in _WHOLE or holds[parent.mem_id] != 1:
            break
        top = parent
    return next(region for region, length in levels if length * 2 >= following)


def _top(start: LexborNode, root: LexborNode, holds: Counter[int]) -> LexborNode:
    top = start
    while True:
        parent = top.parent
        if parent is None or same(parent, root) or holds[parent.mem_id] != 1:
            break
        top = parent
    return top


def _following(top: LexborNode, holds: Counter[int]) -> list[LexborNode]:
    trail: list[LexborNode] = []
    node = top.next
    while node is not None and not holds[node.mem_id]:
        if node.tag not in _NOT_CONTENT and not node.is_comment_node:
            trail.append(node)
        node = node.next
    while trail and trail[-1].is_text_node and not (trail[-1].text_content or "").strip():
        trail.pop()
    return trail


def signature(node: LexborNode) -> str:
    """Return the shape of a node as a selector: its tag and classes, and its parent's tag."""
    own = _named(node)
    parent = node.parent
    return f"{_named(parent)} > {own}" if parent is not None and parent.tag else own


def _named(node: LexborNode) -> str:
    if not node.is_element_node:
        return "text"
    classes = (node.attributes.get("class") or "").split()
    return ".".join([node.tag or "", *sorted(name for name in classes if name.isidentifier())])
