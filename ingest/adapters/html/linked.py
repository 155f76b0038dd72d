"""Headings that link to pages below the page's own address: a list of postings without dates.

Some services write only "2 months ago" beside a posting. Where /changelog links under its headings
to /changelog/faster-search, these are entries all the same.
"""

from collections.abc import Iterator
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborNode

from ingest.adapters.html.candidate import RELATIVE_TIME, Candidate, Find, Reading
from ingest.adapters.html.outline import PSEUDO_LEVEL, Line
from ingest.adapters.html.runs import Heading, candidate_of

_NEAR = 5  # lines of an entry in which its age may stand
_LEAST = 3  # entries of a list that nothing dates


def linked_runs(reading: Reading) -> Iterator[Candidate]:
    """Yield the candidates of headings of one level that mostly link below the page."""
    for level in range(1, PSEUDO_LEVEL):
        headings = [line for line in reading.lines if line.level == level]
        links = {line.index: link for line in headings if (link := _link_below(line, reading))}
        if len({*links.values()}) >= _LEAST and len(links) * 3 >= len(headings) * 2:
            linked = [line for line in headings if line.index in links]
            found = [Heading(line, reading.sign(line), None) for line in linked]
            candidate = candidate_of("linked headings", found, reading)
            if sum(_is_aged(find, reading) for find in candidate.finds) * 2 > len(found):
                yield candidate


def _is_aged(find: Find, reading: Reading) -> bool:
    """Say whether something in an entry tells how long ago it was."""
    return any(RELATIVE_TIME.search(line.text) for line in reading.lines_in(find.region)[:_NEAR])


def _link_below(line: Line, reading: Reading) -> str | None:
    """Return the address that a heading, or what it stands in, links to below the page's own."""
    page = urlsplit(reading.page.address)
    for link in _links(line.node):
        try:
            found = urlsplit(urljoin(reading.page.base, link.attributes.get("href") or ""))
        except ValueError:
            continue
        below = found.path.removeprefix(page.path.rstrip("/") + "/")
        if found.netloc == page.netloc and below not in ("", found.path):
            return found.path
    return None


def _links(node: LexborNode) -> list[LexborNode]:
    inner = node.css("a[href]")
    outer = node.parent
    return [*inner, outer] if outer is not None and outer.tag == "a" else inner
