"""Headlines: what an entry says in one line, also where its title only names a version."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Final

from changelog_reader.content.text import shortened

HEADLINE_LIMIT: Final = 240
"""Characters of a headline, the ellipsis included."""

_CHANGE_LIMIT: Final = 140  # characters of a change in a headline, of one sentence:
_SENTENCE_LIMIT: Final = 200
_SHORTEST_CHANGE: Final = 60  # that is worth its place behind a title
_LINE_LIMIT: Final = 400  # characters of a line that are read
_MOST_LINES: Final = 40  # of a summary
_SUBJECT_LIMIT: Final = 100  # characters of a title that only names a release
_TOKEN: Final = re.compile(r"[^\s()\[\],;|–—]+")
_VERSION: Final = re.compile(
    r"(?:(?P<name>.*[@/]|[A-Za-z]{2,}-(?=\d+\.|\d{4}$))|[vV])?[vV]?(?P<number>\d+(?:[-./+_]?\w+)*)"
)
_WRAP: Final = re.compile(r"(?<=[^.:;!?\n])\n(?=[a-z])")  # inside of a sentence
_MONTH: Final = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?", re.IGNORECASE
)
_CODE_NAME: Final = re.compile(r"[a-z]+-[a-z]+|yanked", re.IGNORECASE)
_TIME: Final = re.compile(
    r"\b(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|\d\d?:\d\d\S*|gmt|utc)\b,?",
    re.IGNORECASE,
)
_SAID: Final = tomllib.loads(Path(__file__).with_name("headlines.toml").read_text("utf-8"))
_LABELS: Final = frozenset(_SAID["labels"].split())
_LEADING: Final = re.compile(f"^(?:{'|'.join(_SAID['leading'])})+")
_TRAILING: Final = re.compile(rf"(?:\s*(?:{'|'.join(_SAID['trailing'])}))+$", re.IGNORECASE)
_SAYS_NOTHING: Final = re.compile(rf"(?:{'|'.join(_SAID['says_nothing'])})\W*", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"""[.!?](?<=[\w)`"']{2}.)(?=\s+[^a-z\s])""")
_LABEL_WORDS: Final = 4  # of a line above items that only heads them, at most
_CELLS: Final = " | "
_LEAD, _LIST = re.compile(r"(?::|\n|(?<=[A-Z]{4}))\s*\n- "), re.compile(r"[.;,]?\s*\n- ")
_TWO_WORDS: Final = re.compile(r"\w\W+\w|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")


def headline(product: str, title: str, summary: str | None, evidence: Iterable[str] = ()) -> str:
    """Return what an entry says in one line, at most ``HEADLINE_LIMIT`` characters long.

    A title that says something is kept, after the product's name where that is not in it, and
    before the first of the passages of ``evidence`` that tells a change: pass those that the title
    does not tell. To a title that only names a version or a day, the product's name and that
    passage are added, else the first change that the summary tells.
    """
    subject = _subject(product, title)
    passages = (_LIST.sub("; ", _LEAD.sub(": ", it, 1)) for it in evidence)
    told = (it.rstrip(":") if it.count(" ") >= _LABEL_WORDS else it for it in passages)
    change = _first_change(told, title, HEADLINE_LIMIT - len(f"{subject or product + title}:  "))
    if subject is None:
        subject = title if _plain(product) in _plain(title) else f"{product}: {title}"
        if change and HEADLINE_LIMIT - len(subject) < _SHORTEST_CHANGE:
            subject = product
    else:
        change = change or _first_change(_without_labels(summary or ""), title)
    return shortened(f"{subject}: {change}" if change else subject, HEADLINE_LIMIT)


def _subject(product: str, title: str) -> str | None:
    """Return the product and the version that a title names; None of a title that says more."""
    if len(title) > _SUBJECT_LIMIT:
        return None
    names: list[str] = []
    release: list[str] = []
    for token in map(str, _TOKEN.findall(_TIME.sub(" ", title))):
        word = token.rstrip(":")
        version = _VERSION.fullmatch(word)
        if word.lower() in _LABELS or (release and _CODE_NAME.fullmatch(word)):
            continue
        if version is not None and (release or not version["name"]):
            release.append(version["number"])
        elif version is not None:
            names.append(version["name"].rstrip("@/-"))
            release.append(version["number"])
        elif _MONTH.fullmatch(word):
            release.append(word)
        elif release:
            return None
        else:
            names.append(word)
    known = _plain(product)
    others = [name for name in names if _plain(name) not in known]
    if len(others) > 1 or (not release and _TWO_WORDS.search(" ".join(others))):
        return None
    dotted = [one for one in release if "." in one and not _MONTH.fullmatch(one)]
    day = " ".join(release) if _MONTH.search(title) else "".join(release[:1])
    first = dotted[0] if dotted else day
    name = " ".join(names)
    if not name or _plain(name) in known:
        return f"{product} {first}".rstrip()
    return (f"{name} {first}" if known in _plain(name) else f"{product}, {name} {first}").rstrip()


def _first_change(texts: Iterable[str], title: str, most: int = _CHANGE_LIMIT) -> str:
    """Return the first of some lines that states a change, without its markup and references."""
    for text in islice(texts, _MOST_LINES):
        if text.startswith("## ") or text.endswith(":") or _CELLS in text:
            continue
        line = " ".join(text[:_LINE_LIMIT].replace("**", "").split())
        line = _TRAILING.sub("", _LEADING.sub("", line).rstrip(" .;,!")).rstrip(" .;,")
        if _TWO_WORDS.search(line) and line != title and not _SAYS_NOTHING.fullmatch(line):
            return _whole_sentences(line, max(_CHANGE_LIMIT, min(most, _SENTENCE_LIMIT)))
    return ""


def _without_labels(summary: str) -> Iterator[str]:
    """Yield the lines of a summary without those that only head the items below them."""
    lines = _WRAP.sub(" ", summary).splitlines()
    last_item = max((place for place, line in enumerate(lines) if line[:2] == "- "), default=-1)
    for place, line in enumerate(lines):
        if line[:2] == "- " or len(line.split()) > _LABEL_WORDS or place > last_item:
            yield line


def _whole_sentences(line: str, most: int) -> str:
    """Return as many sentences of a line as fit, at least the beginning of the first one."""
    ends = [stop.start() for stop in _SENTENCE_END.finditer(line[: _CHANGE_LIMIT + 1])]
    if len(line) <= most or not ends:
        first = _SENTENCE_END.search(line)
        return shortened(line[: first.start()] if first and not ends else line, _SENTENCE_LIMIT)
    return line[: ends[-1]]


@lru_cache(maxsize=1_000)
def _plain(text: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, decomposed))
