"""Many patterns, of which a text is searched for those whose words it holds.

The words are read from the patterns (docs/decisions/0100); a blank is for what no word has. That
takes .2 s, so they are stored: run ``tests/importance/test_lazy_pattern.py`` after a change of one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from operator import methodcaller
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import orjson
from ahocorasick_rs import AhoCorasick

from changelog_reader.importance.lazy_pattern import LazyPattern, expanded

Name = TypeVar("Name")
Words: TypeAlias = frozenset[str]  # of which a text holds one
_Beginnings: TypeAlias = set[tuple[str, bool]]  # each with whether more can be behind it
# What finds words, the numbers and needs of alternatives by the rarest of these, their patterns.
_Index: TypeAlias = tuple[AhoCorasick, dict[str, list[Any]], list[tuple[int, LazyPattern]]]
_Pattern: TypeAlias = tuple[Name, LazyPattern, bool]
Found: TypeAlias = tuple[Name, Iterator[re.Match[str]]]

STORED = Path(__file__).with_name("needs.json")
_EDGE = "\ue000"  # stands for the edge of a word; it tells nothing beside a blank, or alone
_TOLD = re.compile(f"(?<=[ {_EDGE}]){_EDGE}+|{_EDGE}+(?= )|^{_EDGE}+$")
_BLANK = re.compile(r"[^\w!?]")  # what no word has
_LETTERS = "cp1252"  # what most texts are written in: of one byte each, so blanks are made at once
_BLANKS = _BLANK.sub(" ", bytes(range(256)).decode(_LETTERS, "replace")).encode(_LETTERS)
_COMMON = {"add", "all", "and", "are", "can", "for", "not", "out", "the", "use", "with", "you"}
_ANY = Words({""})
_MOST = 40  # words of which one is needed; more are no help
_NOTHING: _Beginnings = {("", False)}
_PARSER = import_module("re._parser")  # what re.compile reads a pattern with


def finder(patterns: Sequence[_Pattern[Name]]) -> Callable[[str], list[Found[Name]]]:
    """Return what finds patterns in a text, some only where it begins, by name with matches."""
    index = cache(lambda: _index([it for _, it, _ in patterns]))  # when first asked

    def search(text: str) -> list[Found[Name]]:
        automaton, needs, lines = index()
        told = text.replace("!", " ! ").replace("?", " ? ")  # marks are words of their own
        letters = "ascii" if text.isascii() else _LETTERS
        try:
            spaced = told.encode(letters).translate(_BLANKS).decode(letters)
        except UnicodeEncodeError:
            spaced = _BLANK.sub(" ", told)
        held = {*automaton.find_matches_as_strings(f" {spaced} ", overlapping=True), ""}
        worth = {
            line
            for word in held & needs.keys()
            for line, a, b, c in needs[word]
            if not (held.isdisjoint(a) or held.isdisjoint(b) or held.isdisjoint(c))
        }
        some: dict[int, list[LazyPattern]] = {}
        for line in sorted(worth):
            some.setdefault(lines[line][0], []).append(lines[line][1])
        return [_found(patterns[place], each, text) for place, each in some.items()]

    return search


def _found(one: _Pattern[Name], some: list[LazyPattern], text: str) -> Found[Name]:
    """Return the name of a pattern, and what some of its alternatives match, without overlaps."""
    if one[2]:
        return one[0], filter(None, map(methodcaller("match", text), some))
    return one[0], some[0].finditer(text) if len(some) == 1 else _in_order(some, text)


def _in_order(some: list[LazyPattern], text: str) -> Iterator[re.Match[str]]:
    """Yield what some patterns match, in order; at one place only what the first one does."""
    each = [(it, it.search(text)) for it in some]
    while found := [(it, match) for it, match in each if match]:
        first = min((match for _, match in found), key=lambda it: it.start())
        yield first
        end = first.end()
        each = [(it, at if at.start() >= end else it.search(text, end)) for it, at in found]


def _index(patterns: Sequence[LazyPattern]) -> _Index:
    """Return what finds the words that patterns need, and their alternatives."""
    by_rarest: dict[str, list[Any]] = {}
    lines = [(place, it) for place, one in enumerate(patterns) for it in one.alternatives()]
    words: set[str] = set()
    for number, (_, line) in enumerate(lines):
        rarest, *needed = map(Words, _stored().get(text_of(line)) or needs_of(text_of(line)))
        words.update(rarest, *needed)
        for word in rarest:
            by_rarest.setdefault(word, []).append((number, *[*needed, *[_ANY] * 3][:3]))
    return AhoCorasick(words - {""}, store_patterns=True), by_rarest, lines


@cache
def _stored() -> dict[str, list[list[str]]]:
    return dict(orjson.loads(STORED.read_bytes()))


def text_of(line: LazyPattern) -> str:
    """Return the text of a pattern, by which its needs are stored."""
    pattern, parts, _ = line.source
    return expanded(pattern.removeprefix("<lead>"), parts)  # what leads an item may be nothing


def needs_of(text: str) -> list[list[str]]:
    """Return words of which what a pattern matches holds one, several times, the rarest first."""
    needs: set[Words] = set()
    _beginnings(_PARSER.parse(text), needs)
    last_first = sorted(needs or [_ANY], key=_rarity, reverse=True)
    rarest, *others = reversed({Words(map(str.strip, it)): it for it in last_first}.values())
    needed = [it for it in others if _rarity(it) < (0, -2) or min(map(len, it)) > 3][:3]
    return [*map(sorted, (rarest, *needed))]


def _rarity(words: Words) -> tuple[int, int, int, str]:
    alone = {*map(str.strip, words)}
    least = min(len(it) + 2 * (it > "z") + any(map(str.isdigit, it)) for it in alone)
    return len(alone & _COMMON), -least, len(words), " ".join(sorted(words))


def _beginnings(nodes: Sequence[Any], needs: set[Words]) -> _Beginnings:
    """Return what a sequence can begin with; add what it holds, but letters, to its needs."""
    found: _Beginnings = {("", True)}
    at = len(nodes)
    while at:
        at -= 1
        run = _letter(nodes[at])
        while run and at and (before := _letter(nodes[at - 1])):
            run, at = before + run, at - 1
        found = _joined({(run, True)} if run else _beginnings_of(nodes[at], needs), found)
        words = Words() if found & {("", True), ("", False)} else _words(found)
        if words and all(it[1:] or it > "z" or it in {*"?!"} for it in map(str.strip, words)):
            needs.add(words)
    return found


def _letter(node: Any) -> str:
    """Return the letter that a node is, a blank for what no word has, an edge; "" for any other."""
    kind, value = node
    if kind is _PARSER.LITERAL:
        return f" {chr(value)} " if chr(value) in "!?" else _BLANK.sub(" ", chr(value))
    is_blank = kind is _PARSER.IN and {*map(_letter, value)} == {" "}
    blank = " " * (is_blank or value is _PARSER.CATEGORY_SPACE)
    return _EDGE if value is _PARSER.AT_BOUNDARY else blank


def _joined(first: _Beginnings, then: _Beginnings) -> _Beginnings:
    """Return the beginnings of two parts, the one behind the other; as far as these are few."""
    for most in (99, 3, 1, 0):
        behind = {(word[:most], on and len(word) <= most) for word, on in then}
        joined = {(a + b, on) for a, more in first for b, on in (behind if more else _NOTHING)}
        if len(joined) <= _MOST:
            break
    return joined


def _beginnings_of(node: Any, needs: set[Words]) -> _Beginnings:
    """Return what the matches of one part of a pattern can begin with."""
    kind, value = node
    match str(kind):
        case "BRANCH":
            each: list[set[Words]] = [set() for _ in value[1]]
            found = set().union(*map(_beginnings, value[1], each))
            if all(each):
                needs.add(Words().union(*(min(it, key=_rarity) for it in each)))
            return found
        case "SUBPATTERN":
            return _beginnings(value[-1], needs)
        case "IN" if value[0][0] is not _PARSER.NEGATE:
            spans = [it if kind is _PARSER.RANGE else (it, it) for kind, it in value]
            signs = "".join(chr(it) for first, last in spans for it in range(first, last + 1))
            return {(it, True) for it in signs} if signs.isalnum() and len(signs) < 7 else _NOTHING
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, part = value
            found = _beginnings(part, needs if least else set())
            once = {(word, goes_on and most == 1) for word, goes_on in found}
            return once if least else once | {("", True)}
        case name:
            return {("", name in ("AT", "ASSERT", "ASSERT_NOT"))}


def _words(beginnings: _Beginnings) -> Words:
    """Return the words that do not begin with another one, with a blank for an edge."""
    kept: list[str] = []
    for word in sorted({_TOLD.sub("", word).replace(_EDGE, " ") for word, _ in beginnings}):
        if not kept or not word.startswith(kept[-1]):
            kept.append(word)
    return Words(kept)
