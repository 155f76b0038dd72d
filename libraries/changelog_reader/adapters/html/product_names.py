"""Releases that several headings announce by one product's name: "Acme App 3.9 – Faster"."""

import re
from collections import Counter

from changelog_reader.adapters.html.candidate import PageAnalysis
from changelog_reader.adapters.html.outline import PageLine
from changelog_reader.adapters.html.signs import Sign, SignKind

_SEVERAL = 3  # headings with one name before their version
_NAMED_NUMBER = re.compile(r"(?P<name>[^\d]{1,60})(?P<version>\d{1,5}(?:\.\d{1,5}){1,3})(?![\w.])")


def product_names(analysis: PageAnalysis) -> frozenset[tuple[int, str]]:
    """Return what is before the version in several headings of one level: "Acme App "."""
    names = Counter(
        (line.level, line.text.partition(version)[0].casefold())
        for line in analysis.lines
        if line.level and (version := analysis.sign(line).version)
    )
    return frozenset(name for name, times in names.items() if times >= _SEVERAL and name[1].strip())


def sign_among(line: PageLine, names: frozenset[tuple[int, str]], analysis: PageAnalysis) -> Sign:
    """Return a heading's sign; "Acme App 3.9 – Faster" is a release among others of Acme App.

    By itself it might be what a text is about.
    """
    sign = analysis.sign(line)
    number = _NAMED_NUMBER.match(line.text) if sign.kind is SignKind.OTHER else None
    if number is None or (line.level, number["name"].casefold()) not in names:
        return sign
    before = len(number["name"].split())
    return Sign(line.text, SignKind.VERSION, number["version"], sign.date, before=before)
