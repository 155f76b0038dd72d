"""The date of a heading: in it, right after it or right before it."""

from collections.abc import Sequence

from changelog_reader.adapters.html.candidate import PageAnalysis
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine
from changelog_reader.adapters.html.signs import Sign, SignKind

LONGEST_LABEL = 40  # characters of a label beside a date
_NEAR = 2  # lines from a heading in which its date may stand


def dates_beside(headings: Sequence[PageLine], analysis: PageAnalysis) -> dict[int, PageLine]:
    """Return the line that dates each heading: all right after them, or all right before."""
    after: dict[int, PageLine] = {}
    before: dict[int, PageLine] = {}
    for line in headings:
        if analysis.dated(line):
            after[line.index] = before[line.index] = line
            continue
        for near in analysis.lines[line.index + 1 : line.index + 1 + _NEAR]:
            if near.level and near.level < PSEUDO_LEVEL:
                if is_subtitle(near, line, analysis):
                    after[line.index] = near
                break
            if analysis.dated(near):
                after[line.index] = near
                break
        previous = _date_before(line, analysis)
        if previous is not None:
            before[line.index] = previous
    return before if len(before) > len(after) else after


def _date_before(line: PageLine, analysis: PageAnalysis) -> PageLine | None:
    """Return the line that dates a heading from above: the last one, or the one before a label.

    It may be a heading of its own that says only a day, however high: pages have "May 1" as h3
    above a title as h2.
    """
    for index in range(line.index - 1, max(line.index - 1 - _NEAR, -1), -1):
        near = analysis.lines[index]
        if analysis.dated(near):
            is_day = near.level > line.level and says_only_a_day(analysis.sign(near))
            return near if is_day or not near.level or _is_term_of_a_day(near, analysis) else None
        if near.level or len(near.text) > LONGEST_LABEL:
            return None
    return None


def is_subtitle(day: PageLine, title: PageLine, analysis: PageAnalysis) -> bool:
    """Return whether a heading that says only a day dates the heading right above it.

    Whatever the levels: pages have "May 1" as h4 or as h2 below a title as h3.
    """
    if day.index != title.index + 1 or not 0 < title.level < PSEUDO_LEVEL:
        return False
    sign = analysis.sign(title)
    names = sign.kind is SignKind.VERSION or (sign.kind is SignKind.OTHER and sign.date is None)
    return names and says_only_a_day(analysis.sign(day))


def dates_another(line: PageLine, analysis: PageAnalysis) -> bool:
    """Return whether a heading is only the date of the one above, or of what describes a term."""
    above = analysis.lines[line.index - 1] if line.index else None
    is_below = above is not None and is_subtitle(line, above, analysis)
    return is_below or _is_term_of_a_day(line, analysis)


def _is_term_of_a_day(line: PageLine, analysis: PageAnalysis) -> bool:
    """Return whether a line is a day as the term of a list, which dates what describes it."""
    return line.node.tag == "dt" and says_only_a_day(analysis.sign(line))


def says_only_a_day(sign: Sign) -> bool:
    """Return whether a line is a day and nothing else."""
    return sign.kind is SignKind.DATE and sign.bare and is_day(sign)


def is_day(sign: Sign) -> bool:
    """Return whether a line's date names a day, not only a month."""
    return sign.date is not None and sign.date.is_day
