"""Entries as the lines of a list, day by day. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, Final

import orjson

from handlers.site.marked_words import SearchedWords, has_words, spans_of
from handlers.site.radar import RadarDeadline
from handlers.site.words import beside, days_away
from openapi.text import counted, cut, without_marks
from openapi.vocabulary import Category
from storage.entries.entry_pages import FeedEntry

_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE_END: Final = re.compile(r"(?<=\.) ")
MOST_OF_ONE: Final = 3  # entries of a source in a day that are shown each by itself
FEWEST_WORDS: Final = 3  # of evidence that is shown by itself: "Breaking change" says too little
BEGINNING: Final = 60  # characters of a sentence by which it is known
FAR: Final = 100  # characters into a line, from where a word would not be seen
BEFORE_WORDS: Final = 40  # characters that are before it then
NEAR: Final = 60  # characters within which words stand together
MOST_SPANS: Final = 50  # words of a line that are looked at


@dataclass(frozen=True, slots=True)
class ListLine:
    """An entry as one line: everything is text but ``path``, which is its page here.

    ``sentence`` is the passage that decides; ``quoted``: whether that is evidence or only how
    the text begins. ``exact`` is false of an entry that has a day and no time. ``deadline``: the
    soonest that has not passed.
    """

    path: str
    headline: str
    source: str
    source_name: str
    categories: tuple[str, ...]
    sentence: str
    quoted: bool
    published_at: datetime
    exact: bool
    deadline: RadarDeadline | None = None
    is_new: bool = False
    is_undated: bool = False


@dataclass(frozen=True, slots=True)
class ListDay:
    """The lines of one day, or of a month, whose first ``day`` is then.

    ``name``: today, yesterday, or how long ago; of a month its own.
    """

    day: date
    name: str
    lines: tuple[Any, ...]
    is_longer: bool = False

    @property
    def groups(self) -> list[list[ListLine]]:
        """The lines in order; more than three of a source in a day are together at the first."""
        of_source: dict[tuple[str, date], list[ListLine]] = {}
        for line in self.lines:
            of_source.setdefault((line.source, line.published_at.date()), []).append(line)
        groups = []
        for line in self.lines:
            group = of_source[line.source, line.published_at.date()]
            if len(group) <= MOST_OF_ONE:
                groups.append([line])
            elif line is group[0]:
                groups.append(group)
        return groups


def rows_of(entries: Iterable[FeedEntry]) -> int:
    """Return in how many rows the groups of a list show entries."""
    counts = Counter((entry.source, entry.published_at.date()) for entry in entries).values()
    return sum(count if count <= MOST_OF_ONE else 1 for count in counts)


def counts_of(lines: Sequence[ListLine]) -> str:
    """Return how many entries there are, and how many of each category."""
    counts = Counter(chain.from_iterable(line.categories for line in lines))
    plural = {Category.DEPRECATION: "deprecations"}
    said = (counted(counts[it], it, plural.get(it, it)) for it in Category if counts[it])
    return ", ".join((counted(len(lines), "entry", "entries"), *said))


def list_line(
    public: bytes,
    importance: bytes | None,
    *,
    path: str,
    source_name: str,
    words: SearchedWords | None = None,
) -> ListLine:
    """Read a stored entry, with its importance where it has one; ``words`` were searched."""
    entry = orjson.loads(public)
    why = orjson.loads(importance or b"{}")
    published_at = datetime.fromisoformat(entry["published_at"]).astimezone(UTC)
    headline = beside(source_name, entry.get("headline") or entry["title"])
    sentence, quoted = _sentence(entry, why)
    if words is not None and has_words(sentence, words):
        sentence = _around(sentence, words)
    elif words is not None and (line := _line_with(entry, words)):
        sentence, quoted = _around(line, words), False
    return ListLine(
        path=path,
        headline=headline,
        source=entry["source"],
        source_name=source_name,
        categories=tuple(why.get("categories", ())),
        sentence=sentence,
        quoted=quoted,
        published_at=published_at,
        exact=published_at.time() != datetime.min.time(),
        is_undated=b'"date_source":"undated"' in public,
    )


def history_days(
    lines: Sequence[Any], *, today: date, at: Callable[[Any], datetime] = attrgetter("published_at")
) -> list[ListDay]:
    """Group lines, in order, by day in UTC, and what is older than a week by month."""
    names = {today: "Today", today - timedelta(days=1): "Yesterday"}
    days = [
        ListDay(day, names.get(day) or days_away(day, today).capitalize(), tuple(of_day))
        for day, of_day in groupby(lines, key=lambda line: at(line).date())
    ]
    recent = [day for day in days if day.day > today - timedelta(days=7)]
    older = chain.from_iterable(day.lines for day in days[len(recent) :])
    months = groupby(older, key=lambda line: at(line).date().replace(day=1))
    return recent + [
        ListDay(first, f"{first:%B %Y}", tuple(of_month), is_longer=True)
        for first, of_month in months
    ]


def _sentence(entry: dict[str, Any], why: dict[str, Any]) -> tuple[str, bool]:
    """Return the evidence that is not the headline itself; without any, how the text begins."""
    headline = without_marks(entry.get("headline") or entry["title"])
    for passage in why.get("evidence", ()):
        text = without_marks(passage["text"])
        if _added(headline, text) >= FEWEST_WORDS and text[:BEGINNING].rstrip(".") not in headline:
            return cut(text), True
    written = [line for line in (entry["summary"] or "").splitlines() if not line.startswith("#")]
    lines = (_beyond(headline, without_marks(line)) for line in written)
    return cut(next((line for line in lines if " " in line and _added(headline, line)), "")), False


def _added(headline: str, text: str) -> int:
    told = set(_WORD.findall(headline.casefold()))
    return sum(word not in told for word in _WORD.findall(text.casefold()))


def _beyond(headline: str, line: str) -> str:
    """Return a line without the sentences that the headline has already.

    A sentence that the headline has in part goes on where the headline was cut.
    """
    kept: list[str] = []
    for sentence in _SENTENCE_END.split(line):
        known = _shared(headline, sentence.rstrip("."))
        if known < min(len(sentence.rstrip(".")), BEGINNING):
            kept.append(sentence)
        elif headline.endswith("…") and (left := sentence[known:].strip(" ,;")).strip("."):
            kept.append(f"… {left}")
    return " ".join(kept)


def _shared(headline: str, sentence: str) -> int:
    """Return how many characters of a sentence, from its beginning, the headline ends with."""
    told = headline.rstrip("…. ")
    if sentence in headline:
        return len(sentence)
    begins = told.find(sentence[:BEGINNING]) if len(sentence) > BEGINNING else -1
    return len(told) - begins if begins >= 0 and sentence.startswith(told[begins:]) else 0


def _line_with(entry: dict[str, Any], words: SearchedWords) -> str:
    """Return the line of the text that has most of the words; the first one of several."""
    headline = without_marks(entry.get("headline") or entry["title"])
    lines = map(without_marks, (entry["summary"] or "").splitlines())
    found = (it for line in lines if has_words(it := _beyond(headline, line), words))
    return max(found, key=lambda line: _densest(line, words)[0], default="")


def _around(line: str, words: SearchedWords) -> str:
    """Cut a line, from shortly before the words that were searched where they are far in it."""
    first = _densest(line, words)[1]
    if first <= FAR:
        return cut(line)
    begins = line.rfind(" ", 0, first - BEFORE_WORDS) + 1
    return cut(f"… {line[begins:]}") if first - begins <= FAR else cut(f"… {line[first:]}")


def _densest(line: str, words: SearchedWords) -> tuple[int, int]:
    """Return how many different words stand close together in a line, at most, and where."""
    spans = [(start, line[start:end].casefold()) for start, end in spans_of(line, words)]
    counts = [
        (len({word for at, word in spans if start <= at < start + NEAR}), -start)
        for start, _ in spans[:MOST_SPANS]
    ]
    count, place = max(counts, default=(0, 0))
    return count, -place
