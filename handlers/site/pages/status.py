"""The status of the service: shares of sources, 90 days, freshness, and why sources fail."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

from flask import Blueprint, Response, jsonify, render_template, request

from handlers.context import Context
from handlers.site.pages.source_drawings import DayBar
from handlers.site.services import (
    SourceHealth,
    cached,
    catalog_figures,
    current_time,
    source_healths,
)
from handlers.site.session import current_user
from handlers.site.words import REASONS, number
from handlers.site.words import day as day_words
from openapi.text import counted
from openapi.vocabulary import Health, Json
from storage.entries.documents import timestamp, timestamp_or_none
from storage.scheduling.api_days import MINUTES_A_DAY, ApiDayRecord, api_days
from storage.scheduling.due import first_sweep
from storage.scheduling.health_days import BEFORE, KEPT_DAYS
from storage.scheduling.progress import failures_by_reason, health_of_all_days

status = Blueprint("status", __name__)
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


class StatusDay(NamedTuple):
    """A day: the shares of sources and of requests that went well, None where none is recorded.

    ``minutes``: how many of those ``expected`` the API ran.
    """

    day: date
    reading: float | None
    api: float | None
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


@status.get("/status")
def page() -> Response:
    """Serve the status as a page or as JSON, whichever the client prefers."""
    offered = request.accept_mimetypes.best_match(["text/html", "application/json"])
    answer = document() if offered == "application/json" else Response(_page())
    answer.vary.add("Accept")
    return answer


def _page() -> str:
    current, days, failures, unrequested, requested_by = _now()
    return render_template(
        "status.html",
        current=current,
        sentence=sentence_of(current),
        sweep=sentence_of_sweep(unrequested, requested_by),
        days=days,
        reading=[bar_of(each.day, each.reading) for each in days],
        reading_sentence=reading_sentence(days),
        api=[bar_of(each.day, each.api) for each in days],
        api_sentence=api_sentence(days),
        freshness=[(kind, words, current.freshness[name]) for name, words, kind, _ in FRESHNESS],
        percent=percent,
        failures=failures,
        reasons=REASONS,
        Health=Health,
        signed_in=current_user() is not None,
    )


@status.get("/status.json")
def document() -> Response:
    """Serve the status as JSON; a share is null where nothing is recorded."""
    current, days, failures, unrequested, requested_by = _now()
    written: dict[str, Json] = {
        "state": current.state,
        "message": sentence_of(current),
        "at": timestamp(current_time().replace(microsecond=0)),
        "sources": {
            "total": current.total,
            "unconfirmed": current.unconfirmed,
            "never_read": current.never_read,
            "read_as_planned": round(current.share, 4),
            "health": {**current.by_health},
            "failing": dict(failures),
        },
        "read": {
            "last_hour": current.read_last_hour,
            "last_day": current.read_last_day,
            "last_at": timestamp_or_none(current.last_read_at),
            "freshness": {**current.freshness},
        },
        "first_sweep": {
            "sources_to_go": unrequested,
            "expected_end_at": timestamp_or_none(requested_by),
        },
        "newest_entry_at": timestamp_or_none(current.newest_entry_at),
        "days": [
            {
                "day": day.day.isoformat(),
                "reading": day.reading and round(day.reading, 4),
                "api": day.api and round(day.api, 4),
                "requests": day.requests,
                "failures": day.failures,
            }
            for day in days
        ],
    }
    return jsonify(written)


@cached
def _now(
    services: Context,
) -> tuple[ServiceStatus, list[StatusDay], list[tuple[str, int]], int, datetime | None]:
    """Return the status, its days, failures by reason, and how far the first sweep is."""
    now = services.now()
    current = status_of(source_healths(), now=now, unconfirmed=catalog_figures().unconfirmed)
    with services.db.read() as session:
        days = days_of(health_of_all_days(session, now=now), api_days(session, now=now), now=now)
        return current, days, failures_by_reason(session), *first_sweep(session)


def status_of(
    sources: Sequence[SourceHealth], *, now: datetime, unconfirmed: int = 0
) -> ServiceStatus:
    """Count sources. Entries that lie in the future are not the newest."""
    by_health = Counter(source.health for source in sources)
    read = [source.read_at for source in sources if source.read_at is not None]
    newest = [each.newest_at for each in sources if each.newest_at and each.newest_at <= now]
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
        (current.by_health["degraded"], "{} degraded"),
        (current.by_health["problematic"], "{} failing"),
        (current.by_health["unknown"], "{} not read yet"),
    )
    listed = ", ".join(words.format(number(count)) for count, words in troubles if count)
    if current.state == "stalled":
        return f"No source has been read for more than two hours. Before that, {said}"
    return f"{said} {listed[:1].upper()}{listed[1:]}." if listed else said


def sentence_of_sweep(sources: int, until: datetime | None) -> str | None:
    """Return how far the first sweep is; None when it is over."""
    if not sources:
        return None
    end = f", done at about {until:%H:%M} UTC" if until else ""
    return f"First check: {number(sources)} sources to go{end}."


def percent(share: float) -> str:
    """Write a share so that only a whole one is 100 %."""
    shown = min(round(share * 100, 1), 99.9) if share < 1 else 100.0
    return f"{shown:g} %"


def bar_of(day: date, share: float | None) -> DayBar:
    """Return a day as a bar of its share."""
    if share is None:
        return DayBar(day, "no record", "unknown", None)
    steps = ((GOOD, "healthy"), (ENOUGH, "ok"), (0.5, "degraded"), (0.0, "problematic"))
    kind = next(kind for least, kind in steps if share >= least)
    return DayBar(day, percent(share), kind, share)


def days_of(
    letters: Sequence[str], records: Sequence[ApiDayRecord], *, now: datetime
) -> list[StatusDay]:
    """Return the last days. Of each source there is a letter a day; the API has a record a day.

    A source counts from its first recorded day on, and so does the API.
    """
    of_sources, by_day = "".join(letters), {record.day: record for record in records}
    began = min(by_day, default=None)
    days = []
    for place in range(KEPT_DAYS):
        day = now.date() - timedelta(days=KEPT_DAYS - 1 - place)
        reading = _share_of(of_sources[place::KEPT_DAYS])
        days.append(StatusDay(day, reading, *_of_api(day, by_day.get(day), began, now=now)))
    return days


def _share_of(letters: str) -> float | None:
    known = len(letters) - letters.count(BEFORE)
    return (letters.count("h") + letters.count("o")) / known if known else None


def _of_api(
    day: date, record: ApiDayRecord | None, began: date | None, *, now: datetime
) -> tuple[float | None, int, int, int, int]:
    if began is None or day < began:
        return None, 0, 0, 0, 0
    end = now.hour * 60 + now.minute if day == now.date() else MINUTES_A_DAY
    if record is None:
        return 0.0 if end else None, 0, 0, 0, end
    expected = max(end - (record.first_minute if day == began else 0), record.minutes, 1)
    answered = 1 - record.failures / record.requests if record.requests else 1.0
    share = answered * record.minutes / expected
    return share, record.requests, record.failures, record.minutes, expected


def api_sentence(days: Sequence[StatusDay]) -> str:
    """Return what the recorded days say of the API."""
    known = [day for day in days if day.api is not None]
    if not known:
        return "No data yet."
    requests, failures = sum(d.requests for d in known), sum(d.failures for d in known)
    ran = sum(day.minutes for day in known) / max(sum(day.expected for day in known), 1)
    answered = f"{percent(1 - failures / requests)} of {number(requests)}" if requests else "None"
    outcome = f"{answered} requests without a server error" if requests else "No requests"
    return f"{outcome}; running {percent(ran)} of the time over {counted(len(known), 'day')}."


def reading_sentence(days: Sequence[StatusDay]) -> str:
    """Return what the recorded days say of reading."""
    known = [(each.reading, each.day) for each in days if each.reading is not None]
    if not known:
        return "No data yet."
    worst, day = min(known)
    mean = sum(share for share, _ in known) / len(known)
    said = f"{percent(mean)} of sources read successfully on average over"
    return f"{said} {counted(len(known), 'day')}, worst day {percent(worst)} ({day_words(day)})."
