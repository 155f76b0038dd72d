"""Headlines: what an entry says in one line, also where its title only names a version."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import islice
from typing import Final

from changelog_reader.content.text import shortened

HEADLINE_LIMIT: Final = 240
"""Characters of a headline, the ellipsis included."""

_CHANGE_LIMIT: Final = 140  # characters of a change in a headline
_LINE_LIMIT: Final = 400  # characters of a line that are read
_MOST_LINES: Final = 40  # of a summary
_SUBJECT_LIMIT: Final = 100  # characters of a title that only names a release
_TOKEN: Final = re.compile(r"[^\s()\[\],;|–—]+")
_VERSION: Final = re.compile(r"(?:(?P<name>.*[@/])|[vV])?[vV]?(?P<number>\d+(?:[-./+_]?\w+)*)")
_MONTH: Final = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?", re.IGNORECASE
)
_CODE_NAME: Final = re.compile(r"[a-z]+-[a-z]+|yanked", re.IGNORECASE)
_LABELS: Final = frozenset(
    {"release", "releases", "released", "version", "ver", "build", "tag", "stable", "on", "-"}
    | {"update", "patch", "hotfix", "notes", "beta", "alpha", "preview", "lts"}
)
_LEADING: Final = re.compile(  # bullets, commits, issues, types of conventional commits
    r"^(?:[-*•#>]+\s+|\[[ x]\]\s+|\[?(?=[a-f]*\d)[0-9a-f]{7,40}\]?:?\s+|#\d+:?\s+"
    r"|[^\w\s\"'`(\[@/._$%&<-]\s*"
    r"|(?:feat|fix|chore|docs|refactor|perf|build|ci|test|style|revert)(?:\([^)]*\))?!?:\s+)+"
)
_TRAILING: Final = re.compile(  # issues, commits, addresses, authors
    r"(?:\s*(?:\(?#\d+\)?|\(?\b(?=[a-f]*\d)[0-9a-f]{6,40}\b\)?|\(?https?://\S+"
    r"|(?:by|thanks|via)\s+@\S+.*|\(@[^)]*\)|in\s+(?=https?://|#\d)|\(?see|,))+$",
    re.IGNORECASE,
)
_SAYS_NOTHING: Final = re.compile(
    r"(?:what'?s (?:changed|new)|(?:full )?change\s?log|release notes?|new contributors"
    r"|contributors|highlights|notes|assets|downloads?|(?:new )?features?"
    r"|(?:bug\s?)?fix(?:es)?|breaking(?: changes)?|(?:minor|patch|major) changes"
    r"|(?:updated )?dependencies|bump version.*|no (?:notable |user-facing )?changes.*"
    r"|(?:see|view|read|check|for|please|compare)\b.*"
    r"|.*\bmade (?:their|his|her) first contribution.*"
    r"|(?:released|published|updated)\W+(?:on\W+)?(?:\d{1,2}\W+)?(?:[a-z]{3,9}\W+)?\d[\d\W]{0,20}"
    r"|(?:there (?:are|were)|(?:this|the) (?:release|version) (?:has|contains|includes)) no\b.*"
    r"|full changelog\b.*|(?:tag|release|version)\W*\d\S*|\W*)\W*",
    re.IGNORECASE,
)
_TWO_WORDS: Final = re.compile(r"\w\W+\w|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4}")


def headline(product: str, title: str, summary: str | None, evidence: Iterable[str] = ()) -> str:
    """Return what an entry says in one line, at most ``HEADLINE_LIMIT`` characters long.

    A title that says something is kept, after the product's name where that is not in it. To one
    that only names a version or a day, the product's name and the first of the passages of
    ``evidence`` that tells a change are added, else the first change that the summary tells.
    """
    subject = _subject(product, title)
    if subject is None:
        return title if _names(title, product) else shortened(f"{product}: {title}", HEADLINE_LIMIT)
    change = _first_change(evidence, title) or _first_change((summary or "").splitlines(), title)
    return f"{subject}: {change}" if change else subject


def _subject(product: str, title: str) -> str | None:
    """Return the product and the version that a title names; None of a title that says more."""
    if len(title) > _SUBJECT_LIMIT:
        return None
    names: list[str] = []
    release: list[str] = []
    for token in map(str, _TOKEN.findall(title)):
        word = token.rstrip(":")
        version = _VERSION.fullmatch(word)
        if word.lower() in _LABELS or (release and _CODE_NAME.fullmatch(word)):
            continue
        if version is not None and (release or not version["name"]):
            release.append(version["number"])
        elif version is not None:
            names.append(version["name"].rstrip("@/"))
            release.append(version["number"])
        elif _MONTH.fullmatch(word):
            release.append(word)
        elif release:
            return None
        else:
            names.append(word)
    others = [name for name in names if _plain(name) not in _plain(product)]
    if not release or len(others) > 1:
        return None
    first = " ".join(release) if _MONTH.search(title) and not names else release[0]
    name = " ".join(names)
    if not name or _plain(name) in _plain(product):
        return f"{product} {first}"
    return f"{name} {first}" if _names(name, product) else f"{product}, {name} {first}"


def _first_change(texts: Iterable[str], title: str) -> str:
    """Return the first of some lines that tells a change, without its markup and references."""
    for text in islice(texts, _MOST_LINES):
        if text.startswith("## "):
            continue
        line = " ".join(text[:_LINE_LIMIT].replace("**", "").split())
        line = _TRAILING.sub("", _LEADING.sub("", line)).rstrip(" .;,")
        if _TWO_WORDS.search(line) and line != title and not _SAYS_NOTHING.fullmatch(line):
            return shortened(line, _CHANGE_LIMIT)
    return ""


def _names(text: str, product: str) -> bool:
    return _plain(product) in _plain(text)


def _plain(text: str) -> str:
    """Return the letters and digits of a name, in lower case and without accents."""
    decomposed = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, decomposed))
