"""The status of the service: shares of sources, 90 days, freshness, and why sources fail."""

from datetime import datetime

from flask import Blueprint, Response, jsonify, render_template, request

from handlers.site.pages.status_figures import (
    FRESHNESS,
    ServiceStatus,
    api_sentence,
    api_shares,
    bar_of,
    percent,
    reading_sentence,
    reading_shares,
    sentence_of,
    sentence_of_sweep,
    status_of,
)
from handlers.site.services import (
    ServiceRecord,
    catalog_figures,
    current_time,
    service_record,
    source_healths,
)
from handlers.site.session import current_user
from handlers.site.words import REASONS, number
from openapi.vocabulary import Health, Json
from storage.entries.documents import timestamp, timestamp_or_none

status = Blueprint("status", __name__)


@status.get("/status")
def page() -> Response:
    """Serve the status as a page or as JSON, whichever the client prefers."""
    offered = request.accept_mimetypes.best_match(["text/html", "application/json"])
    answer = document() if offered == "application/json" else Response(_page())
    answer.vary.add("Accept")
    return answer


def _page() -> str:
    now = current_time()
    current, record = _now(now)
    reading = reading_shares(record.health, today=now.date())
    api = api_shares(record.api, now=now)
    return render_template(
        "status.html",
        current=current,
        sentence=sentence_of(current),
        sweep=sentence_of_sweep(record.unrequested, record.requested_by),
        reading=[bar_of(day, share) for day, share in reading],
        reading_sentence=reading_sentence(reading),
        api=[
            bar_of(
                each.day,
                each.share,
                number(each.requests),
                number(each.failures),
                f"{number(each.minutes)} of {number(each.expected)}",
            )
            for each in api
        ],
        api_sentence=api_sentence(api),
        freshness=[(kind, words, current.freshness[name]) for name, words, kind, _ in FRESHNESS],
        percent=percent,
        failures=record.failures,
        reasons=REASONS,
        Health=Health,
        signed_in=current_user() is not None,
    )


@status.get("/status.json")
def document() -> Response:
    """Serve the status as JSON; a share is null where nothing is recorded."""
    now = current_time()
    current, record = _now(now)
    reading = reading_shares(record.health, today=now.date())
    api = api_shares(record.api, now=now)
    written: dict[str, Json] = {
        "state": current.state,
        "message": sentence_of(current),
        "at": timestamp(now.replace(microsecond=0)),
        "sources": {
            "total": current.total,
            "unconfirmed": current.unconfirmed,
            "never_read": current.never_read,
            "read_as_planned": round(current.share, 4),
            "health": {**current.by_health},
            "failing": dict(record.failures),
        },
        "read": {
            "last_hour": current.read_last_hour,
            "last_day": current.read_last_day,
            "last_at": timestamp_or_none(current.last_read_at),
            "freshness": {**current.freshness},
        },
        "first_sweep": {
            "sources_to_go": record.unrequested,
            "expected_end_at": timestamp_or_none(record.requested_by),
        },
        "newest_entry_at": timestamp_or_none(current.newest_entry_at),
        "days": [
            {
                "day": day.day.isoformat(),
                "reading": read and round(read, 4),
                "api": day.share and round(day.share, 4),
                "requests": day.requests,
                "failures": day.failures,
            }
            for (_, read), day in zip(reading, api, strict=True)
        ],
    }
    return jsonify(written)


def _now(now: datetime) -> tuple[ServiceStatus, ServiceRecord]:
    unconfirmed = catalog_figures().unconfirmed
    return status_of(source_healths(), now=now, unconfirmed=unconfirmed), service_record()
