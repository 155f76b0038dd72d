"""The output of the reader: coloured, wrapped and paged on a terminal, plain lines elsewhere."""

import os
import sys
from collections.abc import Iterable
from contextlib import nullcontext

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from service.reader.layout import IndentedLine

PAGED_AS = "FRX"
"""Default options of less: no paging of a short text, colours, the text stays on the screen."""


def write(lines: Iterable[IndentedLine]) -> None:
    """Print lines on stdout. NO_COLOR, PAGER and LESS are obeyed on a terminal."""
    if not sys.stdout.isatty():
        for line in lines:
            plain = "".join(text for text, _ in line.parts)
            sys.stdout.write(f"{' ' * line.indent}{plain}".rstrip() + "\n")
        return
    console = Console(highlight=False, markup=False, emoji=False)
    os.environ.setdefault("LESS", PAGED_AS)
    with console.pager(styles=True) if sys.stdin.isatty() else nullcontext():
        for line in lines:
            text = Text.assemble(*line.parts, overflow="fold")
            console.print(Padding(text, (0, 0, 0, line.indent), expand=False))


def write_json(text: str) -> None:
    """Print a JSON document on stdout, in UTF-8 whatever the locale."""
    sys.stdout.buffer.write(f"{text}\n".encode())
