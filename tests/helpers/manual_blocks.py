"""The blocks of commands in the operator's manuals."""

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

MANUALS = ("operating.md", "scaling.md")
_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block: in which manual, in what language, and word for word what it says."""

    manual: str
    language: str
    text: str

    @property
    def title(self) -> str:
        """Its first line."""
        return f"{self.manual}: {self.text.splitlines()[0]}"


def blocks_of(docs: Path) -> list[Block]:
    """Return the blocks of all manuals in their order."""
    return [
        Block(manual, match[2], textwrap.dedent(match[3]))
        for manual in MANUALS
        for match in _FENCE.finditer((docs / manual).read_text(encoding="utf-8"))
    ]
