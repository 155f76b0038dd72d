"""A page as a sequence of lines: headings of six levels, what acts as a heading, and text.

The sequence has no wrappers: a heading and the text that follows it are neighbours
here however many elements lie between them in the tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.signs import plain_line, written_line
from changelog_reader.adapters.html.words import WORDS

HEADINGS = {f"h{level}": level for level in range(1, 7)}
PSEUDO_LEVEL = 7  # a line that acts as a heading: dt, summary, a bold start of a paragraph
TEXT_LEVEL = 0

_BLOCKS = WORDS["blocks"]
_BOLD = frozenset({"b", "strong"})
MOST_LINES = 50_000  # of one page; longer ones are read to there
_LONGEST_PSEUDO = 120  # characters of a paragraph that acts as a heading
_PERMALINK_TEXTS = frozenset(
    {"", "#", "¶", "§", "🔗", "🔗︎", "link", "permalink", "anchor", "⚓", "∞"}
)

_BADGES = frozenset({"latest", "new", "new!", "current", "latest release", "latest version"})
_LineParts = tuple[tuple[LexborNode, ...], int, str, str]  # nodes, level, text, title


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page. ``level`` is 1 to 7 for headings, 0 for text.

    ``text`` is made plain for reading. ``title`` is as written: all of it, or the part that
    acts as a heading where only the start does (``<p><b>1.2</b> — May 1``).
    """

    index: int
    nodes: tuple[LexborNode, ...]
    level: int
    text: str
    title: str

    @property
    def node(self) -> LexborNode:
        """The node the line starts with."""
        return self.nodes[0]


def outline(root: LexborNode) -> list[PageLine]:
    """Return the lines of a tree in document order; empty ones are left out."""
    holders = _holders(root)
    lines: list[PageLine] = []
    for nodes, level, text, title in _lines(root, holders):
        if len(lines) == MOST_LINES:
            break
        if text:
            lines.append(PageLine(len(lines), nodes, level, text, title))
    return lines


def _holders(root: LexborNode) -> set[int]:
    """Return the elements that hold a block somewhere inside."""
    holders: set[int] = set()
    for node in root.traverse(include_text=False):
        if node.tag in _BLOCKS or node.tag == "br":
            parent = node.parent
            while parent is not None and parent.mem_id not in holders:
                holders.add(parent.mem_id)
                parent = parent.parent
    return holders


def _lines(root: LexborNode, holders: set[int]) -> Iterator[_LineParts]:
    """Walk the tree without recursion: pages may be nested deeply."""
    stack: list[LexborNode | tuple[LexborNode, ...]] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            yield _leaf(node)
            continue
        level = _heading_level(node)
        if level:
            title = heading_text(node)
            yield (node,), level, plain_line(title), title
        elif node.mem_id in holders:
            stack.extend(reversed(list(_parts(node, holders))))
        else:
            yield _leaf((node,))


def _heading_level(node: LexborNode) -> int:
    tag = node.tag or ""
    if tag in HEADINGS:
        return HEADINGS[tag]
    attributes = node.attributes
    if attributes.get("role") == "heading":
        stated = attributes.get("aria-level") or "2"
        return int(stated) if stated in "123456" and len(stated) == 1 else 2
    return PSEUDO_LEVEL if tag in ("summary", "dt") else 0


def _parts(node: LexborNode, holders: set[int]) -> Iterator[LexborNode | tuple[LexborNode, ...]]:
    """Yield the block children of an element, and the runs of inline nodes between them."""
    run: list[LexborNode] = []
    child = node.child
    while child is not None:
        if child.is_element_node and (child.tag in _BLOCKS or child.mem_id in holders):
            yield from _run(run)
            run = []
            yield child
        elif child.is_element_node and child.tag == "br":
            yield from _run(run)
            run = []
        elif child.is_element_node or child.is_text_node:
            run.append(child)
        child = child.next
    yield from _run(run)


def _run(run: list[LexborNode]) -> Iterator[LexborNode | tuple[LexborNode, ...]]:
    if any(not node.is_text_node or (node.text_content or "").strip() for node in run):
        elements = [node for node in run if node.is_element_node]
        alone = len(elements) == 1 and all(
            node.is_element_node or not (node.text_content or "").strip() for node in run
        )
        yield elements[0] if alone else tuple(run)


def _leaf(nodes: tuple[LexborNode, ...]) -> _LineParts:
    """Return the line that a run of inline nodes, or one block without blocks, makes."""
    written = written_line(joined(nodes))
    text = plain_line(written)
    bold = _bold_start(nodes[0] if len(nodes) == 1 else _first_element(nodes))
    if bold is None or len(text) > _LONGEST_PSEUDO:
        return nodes, TEXT_LEVEL, text, written
    title = written_line(text_of(bold))
    return nodes, PSEUDO_LEVEL if title else TEXT_LEVEL, text, title or written


def joined(nodes: Sequence[LexborNode]) -> str:
    """Return the text of a run of inline nodes, or of one block without blocks.

    Two elements without a space between them are two words ("<b>1.2</b><i>May 1</i>"): the
    page sets them apart by its style. Single letters are not.
    """
    if len(nodes) == 1 and nodes[0].is_element_node:
        nodes = list(nodes[0].iter(include_text=True)) or nodes
    pieces: list[str] = []
    after_element = False
    for node in nodes:
        piece = text_of(node)
        if after_element and node.is_element_node and len(piece) > 1 and len(pieces[-1]) > 1:
            pieces.append(" ")
        pieces.append(piece)
        after_element = node.is_element_node
    return "".join(pieces)


def _first_element(nodes: tuple[LexborNode, ...]) -> LexborNode | None:
    """Return the element that a run starts with, unless it starts with text."""
    for node in nodes:
        if node.is_element_node:
            return node
        if (node.text_content or "").strip():
            return None
    return None


def _bold_start(node: LexborNode | None) -> LexborNode | None:
    """Return the bold element that a line starts with, if it does."""
    while node is not None and node.is_element_node:
        if node.tag in _BOLD:
            return node
        children = (child for child in node.iter(include_text=True))
        node = next(
            (
                child
                for child in children
                if not child.is_text_node or (child.text_content or "").strip()
            ),
            None,
        )
    return None


def text_of(node: LexborNode) -> str:
    """Return a node's text as written: inline elements add no spaces."""
    if node.is_text_node:
        return node.text_content or ""
    return node.text(deep=True) or ""


def inner_markup(node: LexborNode) -> str:
    """Return the markup inside an element."""
    return (node.html or "").partition(">")[2].rpartition("</")[0]


def heading_text(node: LexborNode) -> str:
    """Return a heading's words as written, without its permalink sign."""
    pieces = list(_words(node))
    return written_line("".join(pieces)).strip("¶ ") or written_line(text_of(node))


def _words(node: LexborNode) -> Iterator[str]:
    after_element = False
    for child in node.iter(include_text=True):
        if child.is_text_node:
            yield child.text_content or ""
        elif not is_permalink_sign(child) and not _is_badge(child):
            apart = child.tag in _BLOCKS or child.tag == "br"
            if apart or (after_element and len(text_of(child)) > 1):
                yield " "
            yield from _words(child)
            if apart:
                yield " "
        after_element = child.is_element_node


def _is_badge(node: LexborNode) -> bool:
    """Return whether an element is a badge such as "latest", which moves to the next release."""
    if node.tag not in ("span", "small", "em", "sup", "div", "mark", "label"):
        return False
    return plain_line(text_of(node)).lower().strip("()[]") in _BADGES and node.prev is not None


def is_permalink_sign(node: LexborNode) -> bool:
    """Return whether an element is the sign beside a heading that links to it."""
    if node.tag == "button":
        return True
    if node.tag != "a":
        return False
    attributes = node.attributes
    if "#" not in (attributes.get("href") or ""):
        return False
    text = plain_line(text_of(node)).lower()
    if text in _PERMALINK_TEXTS:
        return True
    marked = f"{attributes.get('class') or ''} {attributes.get('aria-hidden') or ''}".lower()
    sign = any(word in marked for word in ("headerlink", "hash-link", "header-anchor", "true"))
    return sign and text not in (
        "",
        plain_line(text_of(node.parent)).lower() if node.parent else "",
    )
