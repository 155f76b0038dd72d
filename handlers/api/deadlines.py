"""The days by which readers of public entries have to act."""

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Final, TypeAlias

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.csv_pages import csv_of
from handlers.api.end_documents import cle_document, openeox_documents
from handlers.api.feeds import public_filter
from handlers.api.render import json_response, list_response
from handlers.api.saved_stacks import Parts, saved_parts
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import not_found, unauthorized
from handlers.part_lookups import fulfil, wishes_of
from openapi.queries import ListDeadlines
from openapi.vocabulary import DeadlineKind
from package_versions.package_urls import PackageUrl
from storage.catalog.packages import PartSources, purls_of, sources_of_parts
from storage.catalog.sources import ids_of
from storage.catalog.stack_plans import running_of
from storage.entries.deadlines import ComingDeadline, select_deadlines
from storage.entries.documents import timestamp
from storage.entries.end_events import end_events
from storage.entries.part_deadlines import page_deadlines
from storage.models import EntryDeadline

STANDARDS: Final = frozenset({"cle", "openeox"})
SEARCH: Final = "Search /sources by name."
Found: TypeAlias = Mapping[str, PartSources]
COLUMNS: Final = (
    *("subject", "versions", "kind", "from", "to", "days", "successor", "text"),
    *("source", "title", "url"),
)


def list_deadlines(query: ListDeadlines, caller: Caller | None) -> Response:
    """Answer GET /deadlines."""
    services, now = context(), context().now()
    ended_since = None if query.from_ is None else date.fromisoformat(query.from_)
    with services.db.read() as session:
        wanted = public_filter(session, query, caller, now=now)
        parts = _parts(session, query, caller)
        found = None if parts is None else sources_of_parts(session, [part for part, _ in parts])
        wishes = None
        if found is not None and caller is not None:
            wishes = wishes_of(services, session, found, caller.account_id, caller.plan)
        if query.format in STANDARDS:
            return _in_standard(session, query, found, now=now)
        meant = select_deadlines(session, wanted, now=now, ended_since=ended_since)
        if query.to is not None:
            meant = meant.where(EntryDeadline.first_day <= date.fromisoformat(query.to))
        if query.ends is not None:
            meant = meant.where(EntryDeadline.kind.in_(map(DeadlineKind, query.ends)))
        running = None if parts is None or found is None else running_of(parts, found)
        page, total = page_deadlines(
            session, meant, running, now=now, limit=query.limit, offset=query.offset
        )
    documents = [deadline_document(deadline, today=now.date()) for deadline in page]
    response = list_response(query, documents, total=total)
    if query.format == "csv":
        response = _csv(documents, response.headers["Link"])
    if wishes is not None:
        response.headers.update(fulfil(services, wishes))
    return response


def _parts(session: Session, query: ListDeadlines, caller: Caller | None) -> Parts | None:
    """Return the parts that were asked for, with the versions that run; None if none were."""
    if query.stack is not None:
        if caller is None:
            raise unauthorized()
        return saved_parts(session, caller, query.stack)
    if query.purl is None:
        return None
    part = PackageUrl.parse(query.purl)
    return [] if part is None else [(part, part.version)]


def _in_standard(
    session: Session, query: ListDeadlines, found: Found | None, *, now: datetime
) -> Response:
    """Return the lifecycle of a source or of parts in one of the standards."""
    components = _components(session, query, found)
    events = [(purls, end_events(session, ids, now=now)) for purls, ids in components]
    if query.format == "openeox":
        every = [event for _, of_part in events for event in of_part]
        return json_response(orjson.dumps(openeox_documents(every, now=now)))
    if not all(purls for purls, _ in events):
        raise not_found(
            "CLE needs a package URL, and this source has none.", "Use format=openeox instead."
        )
    documents = [cle_document(purls, its, now=now) for purls, its in events]
    return json_response(orjson.dumps(documents if query.stack is not None else documents[0]))


def _components(
    session: Session, query: ListDeadlines, found: Found | None
) -> list[tuple[list[str], list[int]]]:
    """Return what was asked for: the package URLs of each component and the ids of its sources."""
    if found is not None:
        named = [([part], sorted(each.ids)) for part, each in found.items() if each.ids]
        if not named and query.stack is None:
            raise not_found("No source covers this package.", SEARCH)
        return named
    known = ids_of(session, query.sources or ())
    if unknown := [slug for slug in query.sources or () if slug not in known]:
        raise not_found(f"The catalog has no source {unknown[0]}.", SEARCH)
    if len(ids := sorted(known.values())) != 1:
        hint = "Add sources=SLUG, purl=pkg:github/OWNER/NAME or stack=1."
        raise not_found("These formats need one source, one package or a stack.", hint)
    return [(purls_of(session, ids).get(ids[0], []), ids)]


def _csv(documents: Iterable[bytes], links: str) -> Response:
    """Return deadlines for spreadsheets."""
    rows = []
    for document in map(orjson.loads, documents):
        entry = document["entry"]
        rows.append({**document, **{name: entry[name] for name in ("source", "title", "url")}})
    headers = {"Link": links, "Content-Type": "text/csv; charset=utf-8; header=present"}
    return Response(csv_of(COLUMNS, rows), headers=headers)


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
