"""The status of the service: sources by health, and when they were last read."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, Response, jsonify, render_template, request

from handlers.site.services import SourceHealth, cached_figures, site_services
from openapi.vocabulary import Health, Json
from storage.entries.documents import timestamp

status = Blueprint("status", __name__)
STALLED: Final = timedelta(hours=2)
SENTENCES: Final = {
    "operational": "Sources are being read as planned.",
    "stalled": "No source has been read for more than two hours.",
    "starting": "No source has been read yet.",
}


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The service in figures. ``state``: operational, stalled or starting."""

    state: str
    total: int
    by_health: dict[str, int]
    read_last_hour: int
    read_last_day: int
    last_read_at: datetime | None
    newest_entry_at: datetime | None
    unconfirmed: int


def status_of(
    sources: Sequence[SourceHealth], *, now: datetime, unconfirmed: int = 0
) -> ServiceStatus:
    """Count sources. Entries that lie in the future are not the newest."""
    counted = Counter(source.health for source in sources)
    read = [source.read_at for source in sources if source.read_at is not None]
    newest = [
        source.newest_at for source in sources if source.newest_at and source.newest_at <= now
    ]
    last = max(read, default=None)
    return ServiceStatus(
        state="starting" if last is None else "stalled" if now - last > STALLED else "operational",
        total=len(sources),
        by_health={health.value: counted[health.value] for health in Health},
        read_last_hour=sum(now - at <= timedelta(hours=1) for at in read),
        read_last_day=sum(now - at <= timedelta(days=1) for at in read),
        last_read_at=last,
        newest_entry_at=max(newest, default=None),
        unconfirmed=unconfirmed,
    )


@status.get("/status")
def page() -> Response:
    """Serve the status as a page or as JSON, whichever the client prefers."""
    offered = request.accept_mimetypes.best_match(["text/html", "application/json"])
    if offered == "application/json":
        answer = document()
    else:
        current = _now()
        page = render_template(
            "status.html", current=current, sentence=SENTENCES[current.state], Health=Health
        )
        answer = Response(page, mimetype="text/html")
    answer.vary.add("Accept")
    return answer


@status.get("/status.json")
def document() -> Response:
    """Serve the status as JSON."""
    return jsonify(as_json(_now(), now=site_services().now()))


def as_json(current: ServiceStatus, *, now: datetime) -> dict[str, Json]:
    """Write the state for programs."""
    return {
        "state": current.state,
        "message": SENTENCES[current.state],
        "at": timestamp(now.replace(microsecond=0)),
        "sources": {
            "total": current.total,
            "unconfirmed": current.unconfirmed,
            "health": {**current.by_health},
        },
        "read": {
            "last_hour": current.read_last_hour,
            "last_day": current.read_last_day,
            "last_at": _time(current.last_read_at),
        },
        "newest_entry_at": _time(current.newest_entry_at),
    }


def _now() -> ServiceStatus:
    now = site_services().now()
    figures = cached_figures()
    unconfirmed = figures.catalog.get(now=now).unconfirmed
    return status_of(figures.sources.get(now=now), now=now, unconfirmed=unconfirmed)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
