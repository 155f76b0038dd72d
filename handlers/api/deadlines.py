"""The days by which readers of public entries have to act."""

from datetime import date
from typing import Final

import orjson
from starlette.responses import Response

from handlers.api.render import list_response
from handlers.context import context
from handlers.http.auth import Caller
from openapi.queries import ListDeadlines
from storage.entries.deadlines import ComingDeadline, coming_deadlines
from storage.entries.documents import timestamp
from storage.entries.entry_filter import entry_filter_of

MOST: Final = 20_000


def list_deadlines(query: ListDeadlines, _caller: Caller | None) -> Response:
    """Answer GET /deadlines."""
    services, now = context(), context().now()
    ended_since = None if query.from_ is None else date.fromisoformat(query.from_)
    last = date.max if query.to is None else date.fromisoformat(query.to)
    with services.db.read() as session:
        coming = coming_deadlines(
            session, entry_filter_of(query), now=now, most=MOST, ended_since=ended_since
        )
    matching = [it for it in coming if it.first_day <= last]
    page = matching[query.offset : query.offset + query.limit]
    documents = [deadline_document(deadline, today=now.date()) for deadline in page]
    return list_response(query, documents, total=len(matching))


def deadline_document(deadline: ComingDeadline, *, today: date) -> bytes:
    """Return a deadline as the contract has it."""
    fields: dict[str, object] = {
        "kind": deadline.kind.value,
        "from": deadline.first_day.isoformat(),
        "to": deadline.last_day.isoformat(),
        "days": (deadline.last_day - today).days,
        "text": deadline.evidence,
        "subject": deadline.subject,
        "versions": deadline.versions,
        "successor": deadline.successor,
        "set_by": {
            "id": deadline.set_by_id,
            "title": deadline.set_by_title,
            "published_at": timestamp(deadline.set_by_published_at),
        },
        "replaced": [
            {"from": first.isoformat(), "to": last.isoformat()} for first, last in deadline.replaced
        ],
    }
    return b'%b,"entry":%b}' % (orjson.dumps(fields)[:-1], deadline.public)
