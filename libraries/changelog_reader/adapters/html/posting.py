"""The page of one entry that is known already: its whole text, and its date.

An entry of a feed may hold a teaser only, or a link to its release notes. The page behind the link
is the posting itself, or a list of releases of which one is meant: the entry's title tells which.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.html.anchors import title_key
from changelog_reader.adapters.html.candidate import EntryDate, PageAnalysis, analysed_page
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine
from changelog_reader.adapters.html.ranking import best_candidate
from changelog_reader.adapters.html.reader import clean_region, entries_of
from changelog_reader.adapters.html.regions import regions
from changelog_reader.adapters.html.signs import SignKind, plain_line, read_sign
from changelog_reader.adapters.html.single_entry import stated_date, title_date
from changelog_reader.content.text import clean_html, html_to_text

_LEAST_WORDS: Final = 3  # of a text that is one
_LEAST_SHARED: Final = 0.6  # of a teaser's words that are in its posting
_WORD: Final = re.compile(r"[^\W_]+")
_BODIES: Final = ("[itemprop~=articleBody]", "article", "main, [role=main]")
_PLAIN: Final = re.compile(r"<(?:nav|header|footer|form)[\s>]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Posting:
    """The text of an entry's own page, clean and plain, and the date that is there."""

    html: str
    summary: str
    published_at: datetime | None


def read_posting(
    body: bytes, *, address: str, content_type: str | None, title: str, teaser: str | None
) -> Posting:
    """Return the posting of an entry with this title, whose feed has the ``teaser``.

    Raises UnreadableDocument, BlockedDocument among them, for a page that does not hold it: one
    in which the teaser's words are missing is another page.
    """
    with analysed_page(body, address=address, content_type=content_type) as analysis:
        posting = _listed(analysis, title) or _alone(analysis, title, body)
    if posting is None or len(_WORD.findall(posting.summary)) < _LEAST_WORDS:
        raise UnreadableDocument("The page does not hold the posting.")
    if teaser and _shared(teaser, posting.summary) < _LEAST_SHARED:
        raise UnreadableDocument("The page does not hold what the feed says of the posting.")
    return posting


def _shared(teaser: str, text: str) -> float:
    """Return the share of a teaser's words that are in a text."""
    words = {word.casefold() for word in _WORD.findall(teaser)}
    return len(words & {word.casefold() for word in _WORD.findall(text)}) / max(1, len(words))


def _listed(analysis: PageAnalysis, title: str) -> Posting | None:
    """Return the one of the page's entries that has the title or its version."""
    best = best_candidate(analysis)
    if best is None or len(best.items) < 2:
        return None
    key, version = title_key(title, analysis.habits), _version(title, analysis)
    for place, item in enumerate(best.items):
        same = title_key(item.title, analysis.habits) == key
        if same or (version is not None and item.version == version):
            for entry in entries_of(best, analysis)[place : place + 1]:
                return Posting(entry.html or "", entry.summary or "", entry.published_at)
            return None
    return None


def _version(title: str, analysis: PageAnalysis) -> str | None:
    return read_sign(plain_line(title), analysis.habits).version


def _alone(analysis: PageAnalysis, title: str, body: bytes) -> Posting | None:
    """Return the posting that the page is: what follows its title, else its article."""
    heading = _heading(analysis, title)
    dated = (title_date(heading, analysis) if heading else None) or stated_date(analysis)
    if heading is not None:
        region = regions([heading.node], analysis.page.body)[0]
        dated_line = dated[0] if dated else None
        apart = (*heading.nodes, *(dated_line.nodes if dated_line else ()))
        return _posting(region, apart, dated and dated[1], analysis)
    article = _article(analysis, body)
    return None if article is None else _posting((article,), (), dated and dated[1], analysis)


def _heading(analysis: PageAnalysis, title: str) -> PageLine | None:
    """Return the heading with the entry's title, or the only one with its version."""
    headings = [line for line in analysis.lines if 0 < line.level < PSEUDO_LEVEL]
    key, version = title_key(title, analysis.habits), _version(title, analysis)
    same = [line for line in headings if key and title_key(line.text, analysis.habits) == key]
    releases = [line for line in headings if analysis.sign(line).kind is SignKind.VERSION]
    meant = [line for line in releases if version and analysis.sign(line).version == version]
    return next(iter([*same, *(meant if len(meant) == 1 else [])]), None)


def _article(analysis: PageAnalysis, body: bytes) -> LexborNode | None:
    """Return the element that holds the text: the only one of its kind; all of a plain page."""
    for selector in _BODIES:
        nodes = analysis.page.body.css(selector)
        if len(nodes) == 1:
            return nodes[0]
    is_plain = not _PLAIN.search(body[: 2**20].decode("utf-8", "replace"))
    releases = sum(
        analysis.sign(line).kind is SignKind.VERSION for line in analysis.lines if line.level
    )
    return analysis.page.body if is_plain and releases <= 1 else None


def _posting(
    region: tuple[LexborNode, ...],
    apart: tuple[LexborNode, ...],
    dated: EntryDate | None,
    analysis: PageAnalysis,
) -> Posting:
    html = clean_html(clean_region(region, apart, is_last=True), base=analysis.page.base)
    return Posting(html, html_to_text(html), dated.at if dated else None)
