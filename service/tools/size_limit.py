"""Limits the size of results: leaves out items and cuts texts and lists.

Sizes are bytes of UTF-8, about four to a token.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from service.terminal_escape import escape_invisible

TOKENS = 20_000
BYTES_PER_TOKEN = 4
MOST = (TOKENS * BYTES_PER_TOKEN - 4_000) // 2
"""Bytes of all items together, which are sent twice: as text and as structured content."""
STEPS = ((2_000, 200), (500, 40), (120, 10), (40, 3))
"""Longest text in characters and longest list, tried one after the other on a single item."""
WHOLE = ((70_000, 1_000), (30_000, 1_000), (10_000, 1_000), *STEPS)
"""The same for an item that is read alone."""
IDENTITY = ("id", "slug", "source", "url")


@dataclass(frozen=True, slots=True)
class Bounded:
    """The items that fit, and whether anything was left out or cut."""

    items: list[dict[str, Any]]
    truncated: bool


def bounded(
    items: Iterable[Mapping[str, Any]],
    most: int = MOST,
    steps: tuple[tuple[int, int], ...] = STEPS,
) -> Bounded:
    """Return the first items that fit into ``most`` bytes; at least one, cut as needed."""
    selected: list[dict[str, Any]] = []
    room, truncated = most, False
    for item in items:
        short, cut = cut_to(item, room, steps) if not selected else shortened(item, *steps[0])
        size = size_of(short)
        if selected and size > room:
            return Bounded(selected, truncated=True)
        selected.append(short)
        room, truncated = room - size, truncated or cut
    return Bounded(selected, truncated)


def size_of(value: object) -> int:
    """Return how many bytes a value takes as compact JSON."""
    return len(compact(value).encode(errors="surrogatepass"))


def compact(value: object) -> str:
    """Return JSON on one line, with every invisible character escaped: the same value."""
    return escape_invisible(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def cut_to(
    item: Mapping[str, Any], most: int, steps: tuple[tuple[int, int], ...] = STEPS
) -> tuple[dict[str, Any], bool]:
    """Return an item cut until it fits into ``most`` bytes, and whether anything was cut."""
    for longest_text, longest_list in steps:
        short, cut = shortened(item, longest_text, longest_list)
        if size_of(short) <= most:
            return short, cut
    return {name: str(item[name])[:200] for name in IDENTITY if name in item}, True


def shortened(
    value: Mapping[str, Any], longest_text: int, longest_list: int
) -> tuple[dict[str, Any], bool]:
    """Return an object with every text and list in it cut, and whether any was."""
    cut = False

    def short(part: Any) -> Any:
        nonlocal cut
        if isinstance(part, str) and len(part) > longest_text:
            cut = True
            return part[: longest_text - 1] + "…"
        if isinstance(part, list):
            cut = cut or len(part) > longest_list
            return [short(element) for element in part[:longest_list]]
        if isinstance(part, dict):
            cut = cut or len(part) > longest_list
            return {name: short(part[name]) for name in [*part][:longest_list]}
        return part

    return {name: short(member) for name, member in value.items()}, cut
