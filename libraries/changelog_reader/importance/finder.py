"""Many patterns, of which a text is searched for those that may match, where they may begin.

A text is read once for the words that patterns need, which are read from the patterns themselves
(docs/decisions/0100). A pattern is then only tried at the places of words that it begins with.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias, TypeVar

from ahocorasick_rs import AhoCorasick

from changelog_reader.importance.lazy_pattern import LazyPattern

Name = TypeVar("Name")
Words: TypeAlias = frozenset[str]  # of which a text holds one
_Beginnings: TypeAlias = set[tuple[str, bool]]  # each with whether more can be behind it
# The place of a pattern, what a way of it begins with that is searched for, or not, and needs.
_Way: TypeAlias = tuple[int, Words, Words, list[Words]]
_Index: TypeAlias = tuple[AhoCorasick, dict[str, list[_Way]]]
Found: TypeAlias = tuple[Name, Iterator[re.Match[str]]]

_START = "\ue000"  # stands for the start of a text
_MOST = 90  # words of which one is needed; more are no help
_PARSER = import_module("re._parser")  # what re.compile reads a pattern with


def finder(
    patterns: Sequence[tuple[Name, LazyPattern, bool]],
) -> Callable[[str], list[Found[Name]]]:
    """Return a function that finds the patterns that may match in a text, each with its matches.

    Each has a name, and may be one that is only looked for where a text begins.
    """
    index = cache(lambda: _index(patterns))  # made when it is first asked, as that takes .2 s

    def search(text: str) -> list[Found[Name]]:
        words, ways = index()
        held = {*words.find_matches_as_strings(text, overlapping=True), ""}
        worth: dict[int, set[str]] = {}
        for word in held & ways.keys():
            for place, begins, others, needed in ways[word]:
                if not (needed and any(map(held.isdisjoint, needed))):
                    worth.setdefault(place, set()).update(begins & held, others)
        found = sorted(worth.items())
        return [(patterns[it][0], _matches(patterns[it][1], text, begins)) for it, begins in found]

    return search


def _matches(pattern: LazyPattern, text: str, begins: set[str]) -> Iterator[re.Match[str]]:
    """Yield the matches in a text, in order, without overlaps, by the words they begin with."""
    if "" in begins:
        yield from pattern.finditer(text)
        return
    starts = {0} if _START in begins else set()
    for word in begins - {_START}:
        at = text.find(word)
        while at >= 0:
            starts.add(at)
            at = text.find(word, at + 1)
    until = 0
    for start in sorted(starts):
        if start >= until and (match := pattern.match(text, start)):
            yield match
            until = match.end()


def _index(patterns: Iterable[tuple[object, LazyPattern, bool]]) -> _Index:
    """Return the words that patterns need, and their ways by the rarest of these."""
    ways: dict[str, list[_Way]] = {}
    words: set[str] = set()
    for place, (_, pattern, opens) in enumerate(patterns):
        nodes = list(_PARSER.parse(pattern.written_out))
        choice = next((at for at, it in enumerate(nodes) if it[0] is _PARSER.BRANCH), len(nodes))
        for way in nodes[choice][1][1] if choice < len(nodes) else [[]]:
            needs: set[Words] = set()
            begins = _words(_beginnings([*nodes[:choice], *way, *nodes[choice + 1 :]], needs))
            rarest, *others = sorted(needs, key=_rarity) or [Words({""})]
            others = [it for it in others if it == begins or it in others[:2]]
            needed = [it for it in others if all(len(word.strip()) > 3 for word in it)]
            words.update(rarest, *needed)
            begins = Words({_START}) if opens else begins
            known = begins if begins in (rarest, *needed) else Words()
            for word in rarest:
                ways.setdefault(word, []).append((place, known, begins - known, needed))
    return AhoCorasick(words - {""}, store_patterns=True), ways


def _rarity(words: Words) -> tuple[int, int, str]:
    return -min(len(word.strip()) for word in words), len(words), min(words)


def _beginnings(nodes: Sequence[Any], needs: set[Words]) -> _Beginnings:
    """Return what the matches of a sequence can begin with; add what they hold to its needs.

    No needs are words that nearly every text has, as single letters.
    """
    found: _Beginnings = {("", True)}
    for at in reversed(range(len(nodes))):
        found = _joined(_beginnings_of(nodes[at], needs), found)
        words = _words(found) if not at or nodes[at - 1][0] is not _PARSER.LITERAL else [""]
        if all(word != _START and (word[1:] or word > "\x7f" or word in {*"?!"}) for word in words):
            needs.add(Words(words))
    return found


def _joined(first: _Beginnings, then: _Beginnings) -> _Beginnings:
    """Return the beginnings of two parts, the one behind the other; as far as these are few."""
    joined = {
        (it + more, on)
        for it, goes_on in first
        for more, on in (then if goes_on else [("", False)])
    }
    return joined if len(joined) <= _MOST else {(word, False) for word in _words(first)}


def _beginnings_of(node: Any, needs: set[Words]) -> _Beginnings:
    """Return what the matches of one part of a pattern can begin with."""
    kind, value = node
    match str(kind):
        case "LITERAL":
            return {(chr(value), True)}
        case "IN" if all(it is _PARSER.LITERAL for it, _ in value):
            return {(chr(letter), True) for _, letter in value}
        case "BRANCH":
            return set().union(*(_beginnings(way, set()) for way in value[1]))
        case "SUBPATTERN":
            return _beginnings(value[-1], needs)
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, part = value
            found = _beginnings(part, needs if least else set())
            once = {(word, goes_on and most == 1) for word, goes_on in found}
            return once if least else once | {("", True)}
        case "AT" if str(value) == "AT_BEGINNING":
            return {(_START, False)}
        case name:
            return {("", name in ("AT", "ASSERT", "ASSERT_NOT"))}


def _words(beginnings: _Beginnings) -> Words:
    """Return the words that do not begin with another one."""
    kept: list[str] = []
    for word in sorted({word for word, _ in beginnings}):
        if not kept or not word.startswith(kept[-1]):
            kept.append(word)
    return Words(kept)
