"""How the service is: the catalog by health, and how fresh it is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from flask import Blueprint, Response, jsonify, render_template, request

from handlers.site.services import Reading, kept_figures, site_services
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
class Standing:
    """The service in figures. ``state``: operational, stalled or starting."""

    state: str
    total: int
    by_health: dict[str, int]
    read_last_hour: int
    read_last_day: int
    last_read_at: datetime | None
    newest_entry_at: datetime | None


def standing_of(readings: Sequence[Reading], *, now: datetime) -> Standing:
    """Count readings. Entries that lie in the future are not the newest."""
    counted = Counter(each.health for each in readings)
    read = [each.read_at for each in readings if each.read_at is not None]
    newest = [each.newest_at for each in readings if each.newest_at and each.newest_at <= now]
    last = max(read, default=None)
    return Standing(
        state="starting" if last is None else "stalled" if now - last > STALLED else "operational",
        total=len(readings),
        by_health={health.value: counted[health.value] for health in Health},
        read_last_hour=sum(now - at <= timedelta(hours=1) for at in read),
        read_last_day=sum(now - at <= timedelta(days=1) for at in read),
        last_read_at=last,
        newest_entry_at=max(newest, default=None),
    )


@status.get("/status")
def page() -> Response:
    """Show the state, as a page or, to who prefers it, as JSON."""
    offered = request.accept_mimetypes.best_match(["text/html", "application/json"])
    if offered == "application/json":
        answer = document()
    else:
        found = _now()
        page = render_template(
            "status.html", standing=found, sentence=SENTENCES[found.state], Health=Health
        )
        answer = Response(page, mimetype="text/html")
    answer.vary.add("Accept")
    return answer


@status.get("/status.json")
def document() -> Response:
    """Give the state to programs."""
    return jsonify(as_json(_now(), now=site_services().now()))


def as_json(found: Standing, *, now: datetime) -> dict[str, Json]:
    """Write the state for programs."""
    return {
        "state": found.state,
        "message": SENTENCES[found.state],
        "at": timestamp(now.replace(microsecond=0)),
        "sources": {"total": found.total, "health": {**found.by_health}},
        "read": {
            "last_hour": found.read_last_hour,
            "last_day": found.read_last_day,
            "last_at": _time(found.last_read_at),
        },
        "newest_entry_at": _time(found.newest_entry_at),
    }


def _now() -> Standing:
    now = site_services().now()
    return standing_of(kept_figures().readings.get(now=now), now=now)


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
