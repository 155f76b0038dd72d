"""The status of the service in figures: shares of sources, days, freshness. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from handlers.site.pages.source_drawings import DayBar
from handlers.site.services import SourceHealth
from handlers.site.words import day as day_words
from handlers.site.words import number
from openapi.text import counted
from openapi.vocabulary import Health
from storage.scheduling.api_days import MINUTES_A_DAY, ApiDayRecord
from storage.scheduling.health_days import BEFORE, KEPT_DAYS

STALLED: Final = timedelta(hours=2)
GOOD: Final = 0.99
ENOUGH: Final = 0.95
"""The share of sources that have to be read as they should for the service to be operational."""
AS_PLANNED: Final = (Health.HEALTHY, Health.OK)
FRESHNESS: Final = (
    ("hour", "in the last hour", "healthy", timedelta(hours=1)),
    ("six_hours", "1 to 6 hours ago", "ok", timedelta(hours=6)),
    ("day", "6 to 24 hours ago", "aged", timedelta(days=1)),
    ("week", "1 to 7 days ago", "degraded", timedelta(days=7)),
    ("older", "more than 7 days ago", "problematic", timedelta.max),
    ("never", "never read", "unknown", None),
)
"""When sources were read last: name, words, kind of the drawing, and the longest time since."""
DayShare = tuple[date, float | None]
"""A day and the share of 1 that went as it should; None where nothing is recorded."""


class ApiDay(NamedTuple):
    """A day of the API; ``share`` None where nothing is recorded, with what it is made of."""

    day: date
    share: float | None
    requests: int
    failures: int
    minutes: int
    expected: int


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The service in figures. ``state``: operational, degraded, stalled or starting.

    ``share``: that of the sources that are read as they should be, 0 without sources.
    ``freshness``: how many were read last in which span of time.
    """

    state: str
    total: int
    share: float
    by_health: dict[str, int]
    freshness: dict[str, int]
    read_last_hour: int
    read_last_day: int
    last_read_at: datetime | None
    newest_entry_at: datetime | None
    unconfirmed: int
    never_read: int


def status_of(
    sources: Sequence[SourceHealth], *, now: datetime, unconfirmed: int = 0
) -> ServiceStatus:
    """Count sources. Entries that lie in the future are not the newest."""
    by_health = Counter(source.health for source in sources)
    read = [source.read_at for source in sources if source.read_at is not None]
    newest = [
        source.newest_at for source in sources if source.newest_at and source.newest_at <= now
    ]
    last = max(read, default=None)
    share = sum(by_health[health.value] for health in AS_PLANNED) / max(len(sources), 1)
    return ServiceStatus(
        state="starting" if 2 * len(read) < len(sources) else _state(last, share, now=now),
        total=len(sources),
        share=share,
        by_health={health.value: by_health[health.value] for health in Health},
        freshness=freshness_of(sources, now=now),
        read_last_hour=sum(now - at <= timedelta(hours=1) for at in read),
        read_last_day=sum(now - at <= timedelta(days=1) for at in read),
        last_read_at=last,
        newest_entry_at=max(newest, default=None),
        unconfirmed=unconfirmed,
        never_read=len(sources) - len(read),
    )


def _state(last: datetime | None, share: float, *, now: datetime) -> str:
    if last is None:
        return "starting"
    if now - last > STALLED:
        return "stalled"
    return "operational" if share >= ENOUGH else "degraded"


def freshness_of(sources: Sequence[SourceHealth], *, now: datetime) -> dict[str, int]:
    """Count sources by when they were read last."""
    counts = dict.fromkeys((name for name, *_ in FRESHNESS), 0)
    for source in sources:
        for name, *_, longest in FRESHNESS:
            if longest is None or (source.read_at and now - source.read_at <= longest):
                counts[name] += 1
                break
    return counts


def sentence_of(current: ServiceStatus) -> str:
    """Return how the service is, in shares."""
    if current.state == "starting":
        read = number(current.total - current.never_read)
        return f"{read} of {number(current.total)} sources read so far."
    said = f"{percent(current.share)} of {number(current.total)} sources are up to date."
    troubles = (
        (current.by_health["degraded"], "{} with trouble lately"),
        (current.by_health["problematic"], "{} cannot be read at present"),
        (current.by_health["unknown"], "{} of unknown health"),
    )
    listed = ", ".join(words.format(number(count)) for count, words in troubles if count)
    if current.state == "stalled":
        return f"No source has been read for more than two hours. Before that, {said}"
    return f"{said} {listed[:1].upper()}{listed[1:]}." if listed else said


def sentence_of_sweep(sources: int, until: datetime | None) -> str | None:
    """Return how far the first sweep is; None when it is over."""
    if not sources:
        return None
    end = f", the last of them at about {until:%H:%M} UTC" if until else ""
    return f"First sweep: {number(sources)} sources not checked yet{end}."


def percent(share: float) -> str:
    """Write a share so that only a whole one is 100 %."""
    shown = min(round(share * 100, 1), 99.9) if share < 1 else 100.0
    return f"{shown:g} %"


def bar_of(day: date, share: float | None, *cells: str) -> DayBar:
    """Return a day as a bar of its share."""
    if share is None:
        return DayBar(day, "no record", "unknown", None, tuple("" for _ in cells))
    steps = ((GOOD, "healthy"), (ENOUGH, "ok"), (0.5, "degraded"), (0.0, "problematic"))
    kind = next(kind for least, kind in steps if share >= least)
    return DayBar(day, percent(share), kind, share, cells)


def reading_shares(records: Sequence[str], *, today: date) -> list[DayShare]:
    """Return of each of the last days the share of sources that were read as they should.

    ``records`` have a letter a day. A source counts from its first recorded day on.
    """
    letters = "".join(records)
    days = [letters[place::KEPT_DAYS] for place in range(KEPT_DAYS)]
    first = today - timedelta(days=KEPT_DAYS - 1)
    return [(first + timedelta(days=place), _share_of(of_day)) for place, of_day in enumerate(days)]


def _share_of(letters: str) -> float | None:
    known = len(letters) - letters.count(BEFORE)
    return (letters.count("h") + letters.count("o")) / known if known else None


def api_shares(records: Sequence[ApiDayRecord], *, now: datetime) -> list[ApiDay]:
    """Return of each of the last days how the API did, from the first recorded one on."""
    today = now.date()
    by_day: Mapping[date, ApiDayRecord] = {record.day: record for record in records}
    began = min(by_day, default=None)
    days = (today - timedelta(days=back) for back in reversed(range(KEPT_DAYS)))
    return [_api_day(day, by_day.get(day), began, now=now) for day in days]


def _api_day(
    day: date, record: ApiDayRecord | None, began: date | None, *, now: datetime
) -> ApiDay:
    if began is None or day < began:
        return ApiDay(day, None, 0, 0, 0, 0)
    end = now.hour * 60 + now.minute if day == now.date() else MINUTES_A_DAY
    if record is None:
        return ApiDay(day, 0.0 if end else None, 0, 0, 0, end)
    expected = max(end - (record.first_minute if day == began else 0), record.minutes, 1)
    answered = 1 - record.failures / record.requests if record.requests else 1.0
    share = answered * record.minutes / expected
    return ApiDay(day, share, record.requests, record.failures, record.minutes, expected)


def api_sentence(days: Sequence[ApiDay]) -> str:
    """Return what the recorded days say of the API."""
    known = [day for day in days if day.share is not None]
    if not known:
        return "No data yet."
    requests, failures = sum(d.requests for d in known), sum(d.failures for d in known)
    ran = sum(day.minutes for day in known) / max(sum(day.expected for day in known), 1)
    answered = f"{percent(1 - failures / requests)} of {number(requests)}" if requests else "None"
    outcome = f"{answered} requests without a server error" if requests else "No requests"
    return f"{outcome}; running {percent(ran)} of the time over {counted(len(known), 'day')}."


def reading_sentence(days: Sequence[DayShare]) -> str:
    """Return what the recorded days say of reading."""
    known = [(share, day) for day, share in days if share is not None]
    if not known:
        return "No data yet."
    worst, day = min(known)
    mean = sum(share for share, _ in known) / len(known)
    said = f"{percent(mean)} of sources read successfully on average over"
    return f"{said} {counted(len(known), 'day')}, {percent(worst)} on {day_words(day)}, the worst."
