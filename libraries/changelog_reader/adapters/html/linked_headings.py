"""Headings that link to pages below the page's own address: a list of postings without dates.

Some services write only "2 months ago" beside a posting. Where /changelog links under its headings
to /changelog/faster-search, these are entries all the same.
"""

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

from changelog_reader.adapters.html.candidate import RELATIVE_TIME, Candidate, PageAnalysis
from changelog_reader.adapters.html.heading_runs import Heading, candidate_of
from changelog_reader.adapters.html.outline import PSEUDO_LEVEL, PageLine

_NEAR = 5  # lines of an entry in which its age may stand
_LEAST = 3  # entries of a list that nothing dates


def linked_runs(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidates of headings of one level that mostly link below the page."""
    for level in range(1, PSEUDO_LEVEL):
        headings = [line for line in analysis.lines if line.level == level]
        links = {line.index: link for line in headings if (link := _link_below(line, analysis))}
        if len({*links.values()}) >= _LEAST and len(links) * 3 >= len(headings) * 2:
            linked = [line for line in headings if line.index in links]
            run = [Heading(line, analysis.sign(line), None) for line in linked]
            candidate = candidate_of("linked headings", run, analysis)
            starts = [analysis.lines_in(item.region)[:_NEAR] for item in candidate.items]
            aged = [any(RELATIVE_TIME.search(line.text) for line in lines) for lines in starts]
            if sum(aged) * 2 > len(run):
                yield candidate


def _link_below(line: PageLine, analysis: PageAnalysis) -> str | None:
    """Return the address that a heading, or what it is in, links to below the page's own."""
    page = urlsplit(analysis.page.address)
    for link in _links(line.node):
        try:
            target = urlsplit(urljoin(analysis.page.base, link.attributes.get("href") or ""))
        except ValueError:
            continue
        below = target.path.removeprefix(page.path.rstrip("/") + "/")
        if target.netloc == page.netloc and below not in ("", target.path):
            return target.path
    return None


def _links(node: LexborNode) -> list[LexborNode]:
    inner = node.css("a[href]")
    outer = node.parent
    return [*inner, outer] if outer is not None and outer.tag == "a" else inner
