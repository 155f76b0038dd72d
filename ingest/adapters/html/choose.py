"""Which strategy's entries are believed.

All strategies are run. Each proposal is first held against what must be true of any
changelog; those left are scored by how many entries they hold, how many of these are
dated, have a text and differ, whether the dates are in order, and how much of the page
they explain. The best score wins, so that a list of related postings loses to the list
that the page is about.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from selectolax.lexbor import LexborNode

from ingest.adapters.html.candidate import Candidate, Find, Reading
from ingest.adapters.html.dates import TIME_OF_DAY, DateHabits, Precision, find_date
from ingest.adapters.html.labels import label_runs, leads_on, marked_containers
from ingest.adapters.html.linked import linked_runs
from ingest.adapters.html.outline import text_of
from ingest.adapters.html.runs import heading_runs, titled_runs
from ingest.adapters.html.signs import Kind, plain_line, read_sign
from ingest.adapters.html.single import month_page, one_posting
from ingest.adapters.html.state import page_state
from ingest.adapters.html.structured import json_ld, microdata

_Strategy = Callable[[Reading], Iterator[Candidate]]

LISTS: tuple[_Strategy, ...] = (
    json_ld,
    microdata,
    marked_containers,
    heading_runs,
    titled_runs,
    linked_runs,
    label_runs,
    page_state,
)
WHOLE_PAGES: tuple[_Strategy, ...] = (month_page, one_posting)

# How much a strategy is believed before its proposal is looked at.
_TRUST = {
    "json-ld": 0.95,
    "microdata": 1.1,
    "microformats": 1.1,
    "articles": 1.1,
    "headings": 1.0,
    "acting headings": 0.9,
    "dated headings": 1.0,
    "linked headings": 0.6,
    "table": 0.85,
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


@dataclass(frozen=True, slots=True)
class Proposal:
    """A candidate with its score, or with the reason why it was refused."""

    candidate: Candidate
    score: float
    refused: str | None = None


def proposals(reading: Reading) -> list[Proposal]:
    """Return what every strategy proposes for the page, best first."""
    found = [_judged(each, reading) for strategy in LISTS for each in strategy(reading)]
    found.sort(key=lambda each: -each.score)
    if (not found or found[0].refused) and reading.speaks_of_changes:
        whole = [each for strategy in WHOLE_PAGES for each in strategy(reading)]
        found = [*(Proposal(each, 0.1) for each in whole[:1]), *found]
    return found


def _judged(candidate: Candidate, reading: Reading) -> Proposal:
    reason = refusal(candidate, reading)
    return Proposal(candidate, 0.0 if reason else score(candidate, reading), reason)


def refusal(candidate: Candidate, reading: Reading) -> str | None:
    """Return why a list cannot be a changelog, or None."""
    finds = candidate.finds
    count = len(finds)
    dated = _share(finds, lambda find: find.dated is not None)
    told = _share(finds, lambda find: _tells(find, reading))
    versions = _share(finds, lambda find: find.version is not None)
    heard = reading.speaks_of_changes
    if len({(find.title, find.dated and find.dated.at) for find in finds}) * 5 < count * 4:
        return "most entries are alike"
    if told < 0.5:
        return "most entries say nothing"
    if candidate.strategy == "linked headings":
        return None if heard else "nothing says that the page is about changes"
    if candidate.strategy in _SELF_EVIDENT:
        if not heard and dated < 0.5 and not _speak_for_themselves(finds):
            return "nothing says that these versions are releases"
        if (
            not heard
            and versions < 0.5
            and _share(finds, lambda each: _is_month(each, reading)) > 0.5
        ):
            return "nothing says that these months are past"
        strong = heard or dated == 1
        enough = count >= 3 or (count == 2 and strong) or (heard and dated == 1 and versions == 1)
        return None if enough else "too few entries"
    if dated < 0.5 and versions < 0.5:
        return "most entries have no date"
    if count < (2 if heard else 3):
        return "too few entries"
    if not heard and versions < 0.5:
        return "nothing says that the page is about changes"
    return None


def score(candidate: Candidate, reading: Reading) -> float:
    """Return how well a list explains the page; only comparisons mean something."""
    finds = candidate.finds
    quality = (
        0.35 * _share(finds, lambda find: find.dated is not None)
        + 0.15 * _share(finds, lambda find: has_text(find, reading.habits))
        + 0.10 * _share(finds, lambda find: find.version is not None or bool(find.link))
        + 0.10 * len({find.title for find in finds}) / len(finds)
        + 0.10 * _ordered(finds)
        + 0.20 * _coverage(candidate, reading)
    )
    coarse = _share(finds, lambda find: _is_month(find, reading)) > 0.5
    trust = _TRUST[candidate.strategy] * (_COARSE if coarse else 1)
    return trust * quality * (1 + math.log2(len(finds)) / 5)


def _is_month(find: Find, reading: Reading) -> bool:
    """Say whether an entry is a month: where the page dates what is inside, that is meant."""
    date = read_sign(find.title, reading.habits).date
    return date is not None and date.precision is not Precision.DAY


def _speak_for_themselves(finds: Sequence[Find]) -> bool:
    """Say whether undated versions can only be releases: "1.2.3", not "v2" or "Python 3.8"."""
    exact = [find for find in finds if (find.version or "").count(".") >= 2]
    plain = [find for find in finds if "." in find.title and not _WORDED.search(find.title)]
    return max(len(exact), len(plain)) * 2 > len(finds)


def _tells(find: Find, reading: Reading) -> bool:
    """Say whether an entry has a text, links to more, or is a dated sentence by itself."""
    if any(_NO_NEWS.search(line.text) for line in reading.lines_in(find.region)[:_FEW]):
        return False
    sign = read_sign(find.title, reading.habits)
    links = bool(find.link) and not sign.bare
    sentence = find.dated is not None and sign.kind is Kind.OTHER and len(find.title.split()) > 1
    return links or sentence or has_text(find, reading.habits)


def _share(finds: Sequence[Find], holds: Callable[[Find], bool]) -> float:
    return sum(map(holds, finds)) / len(finds) if finds else 0.0


def has_text(find: Find, habits: DateHabits) -> bool:
    """Say whether an entry says more than its title and its date."""
    if find.markup is not None:
        return bool(find.markup)
    said = " ".join(" ".join(_spaced(node) for node in find.region).split())
    if len(said) > len(find.title) + _SURELY_TEXT:
        return True
    rest = plain_line(said).replace(plain_line(find.title), " ", 1)
    date = find_date(rest, habits)
    if date is not None:
        rest = f"{rest[: date.start]} {rest[date.end :]}"
    rest = TIME_OF_DAY.sub(" ", rest).strip(" :;,-–—|·•/()[]#¶.…→»›")
    letters = sum(map(str.isalpha, rest))
    return letters >= _LEAST_TEXT and not leads_on(rest)


def _spaced(node: LexborNode) -> str:
    return text_of(node) if node.is_text_node else node.text(deep=True, separator=" ")


def _ordered(finds: Sequence[Find]) -> float:
    """Return the share of steps between dated entries that go the same way."""
    dates = [find.dated.at for find in finds if find.dated]
    steps = list(pairwise(dates))
    if not steps:
        return 0.0
    down = sum(before >= after for before, after in steps)
    up = sum(before <= after for before, after in steps)
    return max(down, up) / len(steps)


def _coverage(candidate: Candidate, reading: Reading) -> float:
    """Return the share of the page's text that lies in the entries."""
    whole = sum(len(line.text) for line in reading.lines)
    if not whole:
        return 1.0
    if any(find.region for find in candidate.finds):
        seen = {line.index for find in candidate.finds for line in reading.lines_in(find.region)}
        return sum(len(reading.lines[index].text) for index in seen) / whole
    told = {line.text for line in reading.lines}
    return 0.5 * _share(candidate.finds, lambda find: find.title in told)
