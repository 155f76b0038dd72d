"""The tag sources: the catalog, its sample, and requests for further sources."""

from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.render import as_page, as_sample, as_source, json_response, list_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import KEYS_PAGE, SIGN_IN_PAGE
from openapi.queries import ListSources
from openapi.shapes import SourceRequestRecord
from openapi.text import counted
from storage.catalog.catalog_items import items_of, page_items
from storage.catalog.packages import purls_of
from storage.catalog.requests import add_request
from storage.catalog.source_filter import SourceFilter
from storage.catalog.sources import count_sources, sample_ids
from storage.people.plans import PLANS

SAMPLE_SIZE: Final = 5
AGENT: Final = (
    "This JSON is a sample and not the catalog. Do not invent feed addresses; "
    "they are not part of this API."
)


def list_sources(query: ListSources, caller: Caller | None) -> Response:
    """Answer GET /sources: the sample for anybody, the catalog for a caller."""
    return _sample() if caller is None else _page(query, caller)


def _sample() -> Response:
    services, now = context(), context().now()
    with services.db.read() as session:
        total = count_sources(session)
        items = items_of(session, sample_ids(session, limit=SAMPLE_SIZE), now=now)
    hint = (
        f"This is a sample of {len(items)} of {counted(total, 'source')}. "
        f"Sign up for a free key at {services.site_url}{SIGN_IN_PAGE} "
        f"and manage it at {services.site_url}{KEYS_PAGE}."
    )
    head = {"sample": True, "total": total, "limit": SAMPLE_SIZE, "offset": 0}
    documents = [orjson.dumps(as_sample(item, judge=services.judge, now=now)) for item in items]
    return json_response(as_page({**head, "hint": hint, "agent": AGENT}, documents))


def _page(query: ListSources, caller: Caller) -> Response:
    services, now = context(), context().now()
    with services.db.read() as session:
        slugs = None
        if query.selected is not None and not caller.reads_everything:
            slugs = usable_sources(session, caller)
        source_filter = SourceFilter(query.vendor, query.q, query.adapter_type, query.kind, slugs)
        if query.health is None:
            total, items = page_items(
                session, source_filter, now=now, limit=query.limit, offset=query.offset
            )
        else:  # it is judged at this moment, as the health of each item is
            _, every = page_items(session, source_filter, now=now)
            alike = [item for item in every if services.judge(item, now)[0] is query.health]
            total, items = len(alike), alike[query.offset :][: query.limit]
        purls = purls_of(session, [item.id for item in items])
    documents = [
        orjson.dumps(as_source(item, purls.get(item.id, ()), judge=services.judge, now=now))
        for item in items
    ]
    return list_response(query, documents, total=total)


def usable_sources(session: Session, caller: Caller) -> frozenset[str]:
    """Return the sources that a caller may read; none while its plan has too few slots."""
    selected, in_account = caller.sources(session)
    slots = PLANS[caller.plan].slots
    return frozenset(selected) if slots is None or in_account <= slots else frozenset()


def request_source(body: dict[str, str], _caller: Caller | None) -> Response:
    """Answer POST /sources/request: store the address and the note, fetch nothing."""
    services, now = context(), context().now()
    with services.db.write() as session:
        request = add_request(session, url=body["url"], note=body.get("note"), now=now)
        record: SourceRequestRecord = {
            "id": request.id,
            "status": request.status.value,
            "url": request.url,
            "message": "Thank you. Only the URL and the optional note are stored.",
        }
    return json_response(orjson.dumps(record), status=201)
