"""The days by which readers of public entries have to act."""

from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.render import list_response
from handlers.api.source_cache import APPLICATIONS
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from openapi.queries import ListDeadlines
from storage.engine.database import Database
from storage.entries.deadlines import (
    ComingDeadline,
    coming_deadlines,
    entries_with_deadlines,
)
from storage.entries.documents import timestamp
from storage.entries.entry_filter import EVERYTHING
from storage.entries.filter_parsing import entry_filter_of
from storage.entries.states import FeedState, feed_state

MOST: Final = 20_000


@dataclass(frozen=True, slots=True)
class WrittenDeadline:
    """A deadline as JSON, with what it is filtered by."""

    entry_key: int
    first_day: date
    last_day: date
    document: bytes


class DeadlineCache:
    """The deadlines of one application as they are written, until an entry or the day changes.

    Which dates hold is concluded from all of them, so no page can be read by itself.
    """

    def __init__(self) -> None:
        self._written: tuple[FeedState, date, list[WrittenDeadline]] | None = None

    def deadlines(
        self, session: Session, state: FeedState, *, now: datetime
    ) -> list[WrittenDeadline]:
        """Return the deadlines of a state, the soonest first."""
        written, today = self._written, now.date()
        if written is None or written[:2] != (state, today):
            coming = coming_deadlines(session, now=now, most=MOST)
            written = state, today, [written_deadline(deadline, today) for deadline in coming]
            self._written = written
        return written[2]


@lru_cache(maxsize=APPLICATIONS)
def deadline_cache(_db: Database) -> DeadlineCache:
    """Return the cache of the application with this database."""
    return DeadlineCache()


def list_deadlines(query: ListDeadlines, _caller: Caller | None) -> LazyResponse:
    """Answer GET /deadlines."""
    services, now = context(), context().now()
    entry_filter = entry_filter_of(query)
    with services.db.read() as session:
        state = feed_state(session, now=now)

    def write() -> Response:
        with services.db.read() as session:
            deadlines = deadline_cache(services.db).deadlines(session, state, now=now)
            if entry_filter != EVERYTHING:
                meant = entries_with_deadlines(session, entry_filter, now=now)
                deadlines = [deadline for deadline in deadlines if deadline.entry_key in meant]
        matching = _matching(deadlines, query, today=now.date())
        page = matching[query.offset : query.offset + query.limit]
        return list_response(query, [it.document for it in page], total=len(matching))

    depends = (query.to_link(), now.date().isoformat(), tuple(state.totals), state.newest)
    return LazyResponse(etag_of_state(services.site_url, "deadlines", *depends, state.ahead), write)


def _matching(
    deadlines: list[WrittenDeadline], query: ListDeadlines, *, today: date
) -> list[WrittenDeadline]:
    first = today if query.from_ is None else date.fromisoformat(query.from_)
    last = date.max if query.to is None else date.fromisoformat(query.to)
    return [
        deadline
        for deadline in deadlines
        if deadline.last_day >= first and deadline.first_day <= last
    ]


def written_deadline(deadline: ComingDeadline, today: date) -> WrittenDeadline:
    """Return a deadline as the contract has it."""
    fields: dict[str, object] = {
        "kind": deadline.kind.value,
        "from": deadline.first_day.isoformat(),
        "to": deadline.last_day.isoformat(),
        "days": (deadline.last_day - today).days,
        "text": deadline.evidence,
        "set_by": {
            "id": deadline.set_by.id,
            "title": deadline.set_by.title,
            "published_at": timestamp(deadline.set_by.published_at),
        },
        "replaced": [
            {"from": first.isoformat(), "to": last.isoformat()} for first, last in deadline.replaced
        ],
    }
    document = b'%b,"entry":%b}' % (orjson.dumps(fields)[:-1], deadline.public)
    return WrittenDeadline(deadline.entry_key, deadline.first_day, deadline.last_day, document)
