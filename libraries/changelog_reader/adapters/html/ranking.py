"""The choice among the candidates of all strategies.

All strategies are run. Each proposal must first meet the conditions of any changelog; the others
are scored by how many entries they hold, how many of these are dated, have a text and differ,
whether the dates are in order, and how much of the page they explain. The best score wins, so that
a list of related postings loses to the list that the page is about.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from changelog_reader.adapters.html.candidate import Candidate, PageAnalysis, PageItem, is_home
from changelog_reader.adapters.html.dates import TIME_OF_DAY, DateHabits, find_date
from changelog_reader.adapters.html.embedded_state import page_state
from changelog_reader.adapters.html.heading_runs import heading_runs, titled_runs
from changelog_reader.adapters.html.label_runs import label_runs, leads_on, marked_containers
from changelog_reader.adapters.html.linked_headings import linked_runs
from changelog_reader.adapters.html.outline import text_of
from changelog_reader.adapters.html.signs import SignKind, plain_line, read_sign
from changelog_reader.adapters.html.single_entry import month_page, one_posting
from changelog_reader.adapters.html.structured import json_ld, microdata
from changelog_reader.adapters.html.tables import table_rows

_Strategy = Callable[[PageAnalysis], Iterator[Candidate]]

LIST_STRATEGIES: tuple[_Strategy, ...] = (
    json_ld,
    microdata,
    marked_containers,
    heading_runs,
    titled_runs,
    linked_runs,
    label_runs,
    table_rows,
    page_state,
)
PAGE_STRATEGIES: tuple[_Strategy, ...] = (month_page, one_posting)

# The factor by which the score of each strategy's candidates is multiplied.
_STRATEGY_WEIGHTS = {
    "json-ld": 0.95,
    "microdata": 1.1,
    "microformats": 1.1,
    "articles": 1.1,
    "headings": 1.0,
    "acting headings": 0.9,
    "dated headings": 1.0,
    "linked headings": 0.6,
    "table": 0.85,
    "table rows": 1.0,
    "list": 0.85,
    "definition list": 0.85,
    "repeated structure": 0.85,
    "page state": 0.8,
}
_COARSE = 0.8  # the trust in a list of months
_LEAST_TEXT = 2  # letters beside title and date
_SURELY_TEXT = 100  # characters beside the title that no date and link make up
_WORDED = re.compile(r"(?!version|release)\b[^\W\d_]{3,}", re.IGNORECASE)  # a product's name
_NO_NEWS = re.compile(r"^no incidents\b|^all systems operational", re.IGNORECASE)
_FEW = 3  # lines of an entry
_SELF_EVIDENT = ("headings", "acting headings", "microdata", "microformats")


def best_candidate(analysis: PageAnalysis) -> Candidate | None:
    """Return the entries that explain the page best; None of a page that lists none."""
    lists = (candidate for strategy in LIST_STRATEGIES for candidate in strategy(analysis))
    accepted = [candidate for candidate in lists if refusal(candidate, analysis) is None]
    if accepted:
        return max(accepted, key=lambda candidate: score(candidate, analysis))
    pages = (candidate for strategy in PAGE_STRATEGIES for candidate in strategy(analysis))
    return next(pages, None) if analysis.speaks_of_changes else None


def refusal(candidate: Candidate, analysis: PageAnalysis) -> str | None:
    """Return why a list cannot be a changelog, or None."""
    items = candidate.items
    count = len(items)
    dated = _share(items, lambda item: item.dated is not None)
    with_content = _share(items, lambda item: _has_content(item, analysis))
    versions = _share(items, lambda item: item.version is not None)
    is_changelog = analysis.speaks_of_changes
    if len({(item.title, item.dated and item.dated.at) for item in items}) * 5 < count * 4:
        return "most entries are alike"
    if with_content < 0.5:
        return "most entries say nothing"
    if candidate.strategy == "linked headings":
        return None if is_changelog else "nothing says that the page is about changes"
    if candidate.strategy in _SELF_EVIDENT:
        return _refusal_of_releases(candidate, analysis, dated=dated, versions=versions)
    if dated < 0.5 and versions < 0.5:
        return "most entries have no date"
    if count < (2 if is_changelog and max(dated, versions) == 1 else 3):
        return "too few entries"
    if not is_changelog and versions < 0.5:
        return "nothing says that the page is about changes"
    return None


def _refusal_of_releases(
    candidate: Candidate, analysis: PageAnalysis, *, dated: float, versions: float
) -> str | None:
    """Return why headings or marked-up items that announce releases are none, or None."""
    items, count, is_changelog = candidate.items, len(candidate.items), analysis.speaks_of_changes
    if not is_changelog and dated < 0.5 and not _speak_for_themselves(items):
        return "nothing says that these versions are releases"
    if (
        not is_changelog
        and versions < 0.5
        and _share(items, lambda item: _is_month(item, analysis)) > 0.5
    ):
        return "nothing says that these months are past"
    is_marked_up = candidate.strategy in ("microdata", "microformats")  # as of a magazine
    at_home = is_marked_up and is_home(analysis.page.address.split("://")[-1])
    if not is_changelog and versions < 0.5 and at_home:
        return "nothing says that the page is about changes"
    strong = is_changelog or dated == 1
    one_release = is_changelog and (dated == versions == 1 or is_page_of_release(items, analysis))
    enough = count >= 3 or (count == 2 and strong) or one_release
    return None if enough else "too few entries"


def score(candidate: Candidate, analysis: PageAnalysis) -> float:
    """Return how well a list explains the page; only comparisons mean something."""
    items = candidate.items
    quality = (
        0.35 * _share(items, lambda item: item.dated is not None)
        + 0.15 * _share(items, lambda item: has_text(item, analysis.habits))
        + 0.10 * _share(items, lambda item: item.version is not None or bool(item.link))
        + 0.10 * len({item.title for item in items}) / len(items)
        + 0.10 * _ordered(items)
        + 0.20 * _coverage(candidate, analysis)
    )
    coarse = _share(items, lambda item: _is_month(item, analysis)) > 0.5
    trust = _STRATEGY_WEIGHTS[candidate.strategy] * (_COARSE if coarse else 1)
    return trust * quality * (1 + math.log2(len(items)) / 5)


def is_page_of_release(items: Sequence[PageItem], analysis: PageAnalysis) -> bool:
    """Return whether a page is that of its one release: its address has "/release-notes/2.0"."""
    if len(items) != 1 or not items[0].version:
        return False
    number = re.escape(items[0].version)
    return bool(re.search(rf"[/v_-]{number}(?!\.?\d)", analysis.page.address))


def _is_month(item: PageItem, analysis: PageAnalysis) -> bool:
    """Return whether an entry is a month: where the page dates what is inside, that is meant."""
    date = read_sign(item.title, analysis.habits).date
    return date is not None and not date.is_day


def _speak_for_themselves(items: Sequence[PageItem]) -> bool:
    """Return whether undated versions can only be releases: "1.2.3", not "v2" or "Python 3.8"."""
    exact = [item for item in items if (item.version or "").count(".") >= 2]
    plain = [item for item in items if "." in item.title and not _WORDED.search(item.title)]
    return max(len(exact), len(plain)) * 2 > len(items)


def _has_content(item: PageItem, analysis: PageAnalysis) -> bool:
    """Return whether an entry has a text, links to more, or is a dated sentence by itself."""
    if any(_NO_NEWS.search(line.text) for line in analysis.lines_in(item.region)[:_FEW]):
        return False
    sign = read_sign(item.title, analysis.habits)
    links = bool(item.link) and not sign.bare
    sentence = (
        item.dated is not None and sign.kind is SignKind.OTHER and len(item.title.split()) > 1
    )
    return links or sentence or has_text(item, analysis.habits)


def _share(items: Sequence[PageItem], holds: Callable[[PageItem], bool]) -> float:
    return sum(map(holds, items)) / len(items) if items else 0.0


def has_text(item: PageItem, habits: DateHabits) -> bool:
    """Return whether an entry says more than its title and its date."""
    if item.markup is not None:
        return bool(item.markup)
    pieces = [
        text_of(node) if node.is_text_node else node.text(deep=True, separator=" ")
        for node in item.region
    ]
    text = " ".join(" ".join(pieces).split())
    if len(text) > len(item.title) + _SURELY_TEXT:
        return True
    remainder = plain_line(text).replace(plain_line(item.title), " ", 1)
    date = find_date(remainder, habits)
    if date is not None:
        remainder = f"{remainder[: date.start]} {remainder[date.end :]}"
    remainder = TIME_OF_DAY.sub(" ", remainder).strip(" :;,-–—|·•/()[]#¶.…→»›")
    letters = sum(map(str.isalpha, remainder))
    return letters >= _LEAST_TEXT and not leads_on(remainder)


def _ordered(items: Sequence[PageItem]) -> float:
    """Return the share of steps between dated entries that go the same way."""
    dates = [item.dated.at for item in items if item.dated]
    steps = list(pairwise(dates))
    if not steps:
        return 0.0
    down = sum(before >= after for before, after in steps)
    up = sum(before <= after for before, after in steps)
    return max(down, up) / len(steps)


def _coverage(candidate: Candidate, analysis: PageAnalysis) -> float:
    """Return the share of the page's text that lies in the entries."""
    total = sum(len(line.text) for line in analysis.lines)
    if not total:
        return 1.0
    if any(item.region for item in candidate.items):
        covered = {
            line.index for item in candidate.items for line in analysis.lines_in(item.region)
        }
        return sum(len(analysis.lines[index].text) for index in covered) / total
    lines = {line.text for line in analysis.lines}
    return 0.5 * _share(candidate.items, lambda item: item.title in lines)
