"""The version in a tag or title."""

import re
from functools import lru_cache
from typing import Final, TypeAlias

_SUFFIX: Final = (
    r"(?:[-._~]?[A-Za-z]+[-._]?\d{0,18}|[-_]\d{1,18}|\.\d{1,18}){0,6}(?:\+[\w.-]{1,40})?"
)
_DOTTED: Final = rf"\d{{1,18}}(?:\.\d{{1,18}})+{_SUFFIX}"
_DAY: Final = re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?!\d)", re.ASCII)
_TAGS: Final = tuple(
    re.compile(
        rf"(?:(?P<name>.*?)[-_/@])??(?:v|rel)?(?P<version>{version})", re.ASCII | re.IGNORECASE
    )
    for version in (
        _DOTTED,
        rf"{_DAY.pattern}(?:[-.]\d{{1,3}}|[a-z])?",
        r"\d{1,6}(?:-\d{1,6})+|\d{1,6}(?:_\d{1,6})+(?:[a-z]{1,2}|_[a-z]+_?\d{1,9})?",
        rf"(?<!\d[-_/@])(?<!\d[-_/@][vV])\d{{1,18}}(?!\.x){_SUFFIX}",
    )
)
_DATE: Final = re.compile(r"(?:19|20)\d\d([-_./])(?:0?\d|1[0-2])\1[0-3]?\d", re.ASCII)
_DAY_BEFORE: Final = re.compile(rf"[\[(]?{_DATE.pattern}[\])]?[:,]?\s+(?:[–—-]\s+)?", re.ASCII)
_SEPARATOR: Final = re.compile(r"(?<=\d)[-_](?=\d)", re.ASCII)
_CUT_OFF: Final = re.compile(r"(?:^v?|[-_/@])\d[\d.]*$|(?<![^\W_])\d+[-/]$", re.ASCII)
"""The end of a name that is the beginning of its version."""
_TIME: Final = re.compile(rf"{_DAY.pattern}T\d", re.ASCII)
_LABEL: Final = r"(?:version|release|ver|rel|build|v)\.?"
_TITLE: Final = re.compile(
    r"(?:(?:announcing|introducing|welcome)\s+)?(?P<name>[^\d\W][^:;()!?]{0,80}?[\s@:,/-]+)??"
    rf"(?P<label>{_LABEL}\s*)?(?P<version>{_DOTTED}|(?<=[^\W\d])\s?\d{{1,6}})"
    r"(?=$|[\s:,;()–—|/!]|\.(?:\s|$))(?P<rest>.*)",
    re.ASCII | re.IGNORECASE | re.DOTALL,
)
_SYMBOLS: Final = re.compile(r"[^\w\s(\[<>'\"‘“$€£#+-]{1,4}\s+")
_MARKUP: Final = re.compile(r"\]\([^)\s]{0,500}\)|[\[\]*`]")
_MORE_VERSIONS: Final = re.compile(
    rf"\s*(?:[,/&]|and\b)\s*(?!{_DATE.pattern})v?\d", re.ASCII | re.IGNORECASE
)
_WORD_FOLLOWS: Final = re.compile(
    r"\s+(?!is\b|now\b|has been\b|releas|out\b|available|final|stable)[a-z]", re.IGNORECASE
)
_IT_ENDS: Final = re.compile(
    r"\s+(?:(?:(?:will|to) be|(?:is|are|was|has been)(?: now| being)?) "
    r"(?:deprecat|remov|retir|sunset|shut|switched off|discontinu|unsupported"
    r"|no longer (?:supp|avail))"
    r"|deprecat|removal|retire|sunset|end[- ]of|eol\b|reach(?:es|ed|ing)\b|support (?:has )?end)",
    re.IGNORECASE,
)
_OF_A_NAME: Final = re.compile(
    r"\s+(?:[\w-]+\s+)?(?:cards?|guides?|reports?|papers?|tutorials?|webinars?|surveys?|roadmaps?"
    r"|benchmarks?|evaluations?|workshops?|courses?|certifications?|faq)\b",
    re.IGNORECASE,
)
"""What is written about a product with a number in its name: "Grok 4.5 Model Card"."""
_AN_API: Final = re.compile(r"\b(?:apis?|endpoints?)\b", re.IGNORECASE)
_OTHER: Final = re.compile(r"(?<![\w.])v?\d{1,9}(?:\.\d{1,9})+(?![\w])", re.ASCII | re.IGNORECASE)
_RELATES: Final = frozenset(
    {"a", "adds", "after", "against", "and", "before", "by", "deprecated", "deprecating", "drops"}
    | {"end", "ends", "for", "from", "if", "in", "is", "of", "on", "or", "removes", "requires"}
    | {"support", "supporting", "supports", "than", "the", "to", "until", "up", "upgrade"}
    | {"upgrading", "via", "when", "with", "without"}
)
_WORD: Final = re.compile(r"[\w.+#-]+")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)
"""What many languages write for thousands."""
_MOST_WORDS: Final = 5  # before the version of a title
_NEXT_WORD: Final = 12  # characters after a version
_TITLE_LIMIT: Final = 300  # characters of a title that are read
MAX_PACKAGE_LENGTH: Final = 200
"""Characters of the name of a package in a tag, and of a tag."""
_GENERAL: Final = frozenset(
    {"v", "ver", "version", "release", "releases", "rel", "r", "tag", "tags"}
)


ReleaseVersion: TypeAlias = tuple[str, str]
"""A version as written but for a leading v, and the package of a monorepo, or an empty text."""


@lru_cache(maxsize=1_000)
def version_of_release(title: str, tag: str | None = None) -> ReleaseVersion | None:
    """Return the version of a release: the one its tag names, else the one its title is about."""
    return (version_of_tag(tag) if tag else None) or version_of_title(title)


def version_of_tag(tag: str) -> ReleaseVersion | None:
    """Return what a tag names: ``v1.2.3``, ``name@1.2.3``, ``sdk/v2.0.0-rc.1``, ``curl-8_5_0``."""
    for form in _TAGS if len(tag) <= MAX_PACKAGE_LENGTH else ():
        match = form.fullmatch(tag.strip())
        name = (match["name"] or "") if match else ""
        if match and not _CUT_OFF.search(name) and not _TIME.search(tag):
            return _dotted(match["version"]), "" if name.lower() in _GENERAL else name
    return None


def _dotted(version: str) -> str:
    """Return a version with dots between its numbers, but for those of a date."""
    kept = len("2026-06-0") if _DAY.match(version) else 0
    after = version[kept:]
    return version[:kept] + (after if "." in after else _SEPARATOR.sub(".", after))


def version_of_title(title: str) -> ReleaseVersion | None:
    """Return the version that a title is about: ``Acme 2.1 released``, ``[1.2.3] - 2024-05-01``.

    None for a title with the version of something else, several versions, a date or the end of a
    version.
    """
    text = _MARKUP.sub("", title[:_TITLE_LIMIT]).strip()
    for before in (_SYMBOLS, _DAY_BEFORE):
        text = text[match.end() :] if (match := before.match(text)) else text
    match = _TITLE.match(text)
    if match is None or _DATE.fullmatch(match["version"]) or _CUT_OFF.search(match["name"] or ""):
        return None
    version, rest = match["version"].strip(), match["rest"]
    name = (match["name"] or "").lower()
    of_an_api = "." not in version and _AN_API.search(f"{name} {rest[:_NEXT_WORD]}")
    if (
        _OF_A_NAME.match(rest)
        or of_an_api
        or _is_about_more(version, name, rest)
        or (not match["label"] and _is_a_number(version, name, rest))
    ):
        return None
    return version, ""


def _is_about_more(version: str, name: str, rest: str) -> bool:
    """Return whether the words around a version are about something else or more versions."""
    words = _WORD.findall(name)
    again = rf"(?<![\w.])v?{re.escape(version)}(?![\w.-]*\w)"
    further = _OTHER.findall(re.sub(again, "", rest, flags=re.IGNORECASE))
    is_heading = rest.startswith(":")  # what follows may name versions of other things
    others = bool(name) and any(not _DATE.fullmatch(other) for other in further)
    too_many = len(words) > _MOST_WORDS or not _RELATES.isdisjoint(words)
    ends = _IT_ENDS.match(f" {rest.lstrip(' :–—-')}") is not None
    return (others and not is_heading) or too_many or ends or _MORE_VERSIONS.match(rest) is not None


def _is_a_number(version: str, name: str, rest: str) -> bool:
    """Return whether a version without the word may be any number: "2.5 million users"."""
    could_be = version.count(".") < 2 and (not name or _THOUSANDS.fullmatch(version))
    return "." not in version or bool(could_be and _WORD_FOLLOWS.match(rest))
