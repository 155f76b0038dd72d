"""The text of a page under its headings, for diffs of pages."""

from collections.abc import Sequence

from changelog_reader.adapters.base import Block
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine
from changelog_reader.content.text import strip_controls

_MOST_BLOCKS = 5_000  # of one page
_LONGEST_BLOCK = 262_144  # characters; snapshots cut at fewer, and say so


def blocks(lines: Sequence[PageLine]) -> tuple[Block, ...]:
    """Return one block for each heading that has text below it, in the page's order."""
    listed: list[Block] = []
    above: list[PageLine] = []
    text: list[str] = []

    def close() -> None:
        if text:
            heading = tuple(strip_controls(line.text) for line in above)
            listed.append(Block(heading, strip_controls("\n".join(text))[:_LONGEST_BLOCK]))
            text.clear()

    for line in lines:
        if 0 < line.level < PSEUDO_LEVEL:
            close()
            above = [heading_line for heading_line in above if heading_line.level < line.level]
            above.append(line)
        else:
            text.append(line.text)
    close()
    return tuple(listed[:_MOST_BLOCKS])
