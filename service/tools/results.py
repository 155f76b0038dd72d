"""Results within a bound, with marks around vendors' texts that no vendor can have written.

Sizes are bytes of UTF-8, about four to a token. Items are left out before texts are cut.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from service.terminal_escape import escape_invisible

TOKENS: Final = 20_000
BYTES_PER_TOKEN: Final = 4
MOST_BYTES: Final = (TOKENS * BYTES_PER_TOKEN - 4_000) // 2
"""Bytes of all items together, which are sent twice: as text and as structured content."""
STEPS: Final = ((2_000, 200), (500, 40), (120, 10), (40, 3))
"""Longest text in characters and longest list, tried one after the other on a single item."""
WHOLE: Final = ((70_000, 1_000), (30_000, 1_000), (10_000, 1_000), *STEPS)
"""The same for an item that is read alone."""
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def bounded(
    items: Sequence[Mapping[str, Any]],
    most: int = MOST_BYTES,
    steps: Sequence[tuple[int, int]] = STEPS,
) -> tuple[list[dict[str, Any]], bool]:
    """Return the first items that fit into ``most`` bytes, and whether that left out anything.

    It is one item at least, cut as needed.
    """
    tried = items
    for longest_text, longest_list in steps:
        selected: list[dict[str, Any]] = []
        truncated, room = False, most
        for item in tried:
            short, cut = shortened(item, longest_text, longest_list)
            room -= size_of(short)
            if room < 0:
                break
            selected, truncated = [*selected, short], truncated or cut
        if selected or not items:
            return selected, truncated or len(selected) < len(items)
        tried = items[:1]  # the others are left out before one is cut further
    names = [name for name in ("id", "slug", "source", "url") if name in items[0]]
    return [{name: str(items[0][name])[:200] for name in names}], True


def shortened(
    value: Mapping[str, Any], longest_text: int, longest_list: int
) -> tuple[dict[str, Any], bool]:
    """Return an object with its texts and lists cut, as Unicode, and whether any was cut."""
    cut = False

    def short(part: Any) -> Any:
        nonlocal cut
        if isinstance(part, str):
            cut = cut or len(part) > longest_text
            text = part if len(part) <= longest_text else f"{part[: longest_text - 1]}…"
            return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
        if isinstance(part, (list, dict)):
            cut = cut or len(part) > longest_list
        if isinstance(part, list):
            return [short(element) for element in part[:longest_list]]
        if isinstance(part, dict):
            return {short(name): short(part[name]) for name in [*part][:longest_list]}
        return part

    return {name: short(member) for name, member in value.items()}, cut


def size_of(value: object) -> int:
    """Return how many bytes a value takes as compact JSON."""
    return len(compact(value).encode(errors="surrogatepass"))


def compact(value: object) -> str:
    """Return JSON on one line, with every invisible character escaped: the same value."""
    return escape_invisible(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fenced(items: Iterable[object], nonce: Callable[[], str]) -> str:
    """Return items as lines of JSON between marks.

    ``nonce`` makes a word that nobody can guess; a word that occurs in the data is not used.
    """
    data = "\n".join(compact(item) for item in items)
    word = nonce()
    while word in data:
        word = nonce()
    return f"<<<data {word}\n{data}\ndata {word}>>>"
