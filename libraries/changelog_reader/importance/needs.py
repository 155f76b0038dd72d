"""What a text must hold for a pattern to match, read from the pattern itself."""

from importlib import import_module
from typing import Any, TypeAlias

Needs: TypeAlias = tuple[frozenset[str], ...]  # of each of them a text holds one

_MOST = 80  # words of which one is needed; more are no help
_PARSER = import_module("re._parser")  # what re.compile reads a pattern with


def needs_of(pattern: str) -> list[Needs]:
    """Return the ways in which a pattern can match, each with what it needs, the rarest first.

    A text in which no way has all that it needs is not worth a search. A way that needs nothing
    needs the empty word.
    """
    nodes = list(_PARSER.parse(pattern))
    choice = next((at for at, (kind, _) in enumerate(nodes) if str(kind) == "BRANCH"), None)
    if choice is None:
        return [_needs(nodes)]
    before, after = nodes[:choice], nodes[choice + 1 :]
    return [_needs([*before, *way, *after]) for way in nodes[choice][1][1]]


def _needs(nodes: list[Any]) -> Needs:
    """Return what every match of a sequence holds, the rarest first."""
    found: set[frozenset[str]] = set()
    run: list[Any] = []  # the letters just before a node
    for kind, value in [*nodes, ("END", None)]:
        name = str(kind)
        if name == "LITERAL":
            run.append((kind, value))
            continue
        if name == "AT":
            continue
        word = "".join(chr(letter) for _, letter in run)
        if name == "BRANCH":  # its ways may have the same beginning, which then is before it
            ways = [_needs([*run, *way])[0] for way in value[1]]
            words = frozenset[str]().union(*ways)
            if "" not in words and len(words) <= _MOST:
                found.add(words)
        elif name == "SUBPATTERN":
            found.update(_needs(value[3]))
        elif name in ("MAX_REPEAT", "MIN_REPEAT") and value[0]:
            found.update(_needs(value[2]))
        if len(word) > 1 or (word.strip() and not word.isascii()) or word in ("?", "!"):
            found.add(frozenset({word}))
        run = []
    found.discard(frozenset({""}))
    rarest_first = sorted(
        found, key=lambda words: (-min(len(word.strip()) for word in words), len(words), min(words))
    )
    return tuple(rarest_first[:3]) or (frozenset({""}),)
