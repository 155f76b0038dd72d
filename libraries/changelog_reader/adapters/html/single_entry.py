"""Pages that hold one period or one posting instead of a list.

A page headed by a month has an entry for each heading below it; a page of one release, one
day or one dated posting has a single entry. Both only where the page says that it is about
changes or news: any article on the web has a title and a date.
"""

from collections.abc import Iterator, Sequence

from changelog_reader.adapters.html.candidate import Candidate, EntryDate, PageAnalysis, PageItem
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine
from changelog_reader.adapters.html.regions import regions
from changelog_reader.adapters.html.signs import SignKind
from changelog_reader.adapters.html.structured import ld_objects, types_of
from changelog_reader.adapters.html.words import CHANGELOG_WORDS
from changelog_reader.content.dates import parse_timestamp

_NEAR = 3  # lines around a title in which its date may stand
_POSTINGS = frozenset({"BlogPosting", "NewsArticle", "Article"})
_LIST_WORDS = frozenset(word for words in (*CHANGELOG_WORDS, "notes") for word in words.split())


def month_page(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the headings of a page that is headed by a month."""
    headings = [line for line in analysis.lines if 0 < line.level < PSEUDO_LEVEL]
    periods = [line for line in headings if analysis.sign(line).kind is SignKind.DATE]
    if len(periods) != 1:
        return
    period, date = periods[0], analysis.sign(periods[0]).date
    if date is None or date.is_day:
        return
    below = [line for line in headings if line.index > period.index]
    if any(line.level <= period.level for line in below) or not below:
        return
    highest = min(line.level for line in below)
    entries = [line for line in below if line.level == highest]
    if all(analysis.sign(line).kind is SignKind.CATEGORY for line in entries):
        entries = [period]
    dated = EntryDate(date.at, "heading above")
    areas = regions([line.node for line in entries], analysis.page.body, [period.node])
    if len(entries) == 1:
        areas = regions([entries[0].node], analysis.page.body)
    items = tuple(
        PageItem(line.title, dated, region=area, heading=line.node, apart=line.nodes)
        for line, area in zip(entries, areas, strict=True)
    )
    yield Candidate("page of a month", items)


def one_posting(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the one dated posting that the whole page is."""
    title = _title(analysis)
    if title is None:
        return
    several = sum(analysis.sign(line).announces for line in analysis.lines if line.level) > 1
    if several or _LIST_WORDS.issuperset(title.text.lower().split()):  # "Release notes"
        return
    dated = title_date(title, analysis) or stated_date(analysis)
    if dated is None:
        return
    line, date = dated
    area = regions([title.node], analysis.page.body)[0]
    node = line.node if line is not None and line is not title else None
    apart = (*title.nodes, *(line.nodes if line is not None and node is not None else ()))
    item = PageItem(title.title, date, area, title.node, date_node=node, apart=apart)
    yield Candidate("one posting", (item,))


def _title(analysis: PageAnalysis) -> PageLine | None:
    """Return the heading that is the page's title: the one its title element starts with."""
    headings = [line for line in analysis.lines if 0 < line.level < PSEUDO_LEVEL]
    stated = f"{analysis.page.title} {analysis.page.meta('og:title')}".lower()
    in_page_title = [
        line for line in headings if len(line.text) > 2 and line.text.lower() in stated
    ]
    firsts = [line for line in headings if line.level == 1]
    dated = [line for line in [*in_page_title, *firsts] if title_date(line, analysis)]
    others = [line for line in headings if title_date(line, analysis)]
    alone = others if len(others) == 1 else []
    return next(
        iter([*dated, *(in_page_title if len(in_page_title) == 1 else []), *alone, *firsts]), None
    )


def title_date(title: PageLine, analysis: PageAnalysis) -> tuple[PageLine | None, EntryDate] | None:
    """Return the date in a title's line or within three lines after it.

    Before it only where it heads the page: there, what precedes it can belong to nothing else.
    """
    lines: Sequence[PageLine] = analysis.lines
    after = lines[title.index : title.index + 1 + _NEAR]
    before = lines[max(0, title.index - _NEAR) : title.index][::-1] if title.level == 1 else ()
    for line in [*after, *before]:
        date = analysis.dated(line)
        if date is not None:
            return line, date
    return None


def stated_date(analysis: PageAnalysis) -> tuple[PageLine | None, EntryDate] | None:
    """Return the date that the page's own description gives for a posting."""
    at = parse_timestamp(analysis.page.meta("article:published_time", "datepublished"))
    if at is not None and analysis.page.meta("og:type") in ("article", ""):
        return None, EntryDate(at, "meta")
    postings = [posting for posting in ld_objects(analysis.page) if types_of(posting) & _POSTINGS]
    dates = [parse_timestamp(str(posting.get("datePublished") or "")) for posting in postings]
    if len(dates) == 1 and dates[0] is not None:
        return None, EntryDate(dates[0], "json-ld")
    return None
