"""The tag sources: the catalog, its sample, and requests for further sources."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.render import as_page, as_request_record, json_response, list_response
from handlers.api.source_cache import digest_of, source_cache
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.caching import LazyResponse, etag_of_state
from handlers.http.refusals import KEYS_PAGE, SIGN_IN_PAGE
from openapi.counts import counted
from openapi.queries import ListSources
from storage.catalog.catalog_items import page_states
from storage.catalog.requests import add_request
from storage.catalog.source_filter import SourceFilter
from storage.entries.states import catalog_totals
from storage.people.plans import PLANS

SAMPLE_SIZE: Final = 5
AGENT: Final = (
    "This JSON is a sample and not the catalog. Do not invent feed addresses; "
    "no answer of this API holds any."
)


def list_sources(query: ListSources, caller: Caller | None) -> LazyResponse:
    """Answer GET /sources: the sample for anybody, the catalog for a caller."""
    return _sample() if caller is None else _page(query, caller)


def _sample() -> LazyResponse:
    services, now = context(), context().now()
    with services.db.read() as session:
        totals = catalog_totals(session)
        states = source_cache(services).sample(session, totals, limit=SAMPLE_SIZE)
        items = source_cache(services).items(
            session, states, catalog_version=totals.catalog_version, now=now
        )
    documents = [item.sample for item in items]
    return LazyResponse(
        etag_of_state(services.api_url, "sample", totals.sources, *documents),
        lambda: json_response(_sample_page(documents, totals.sources, services.site_url)),
    )


def _sample_page(documents: Sequence[bytes], total: int, site_url: str) -> bytes:
    hint = (
        f"This is a sample of {len(documents)} of {counted(total, 'source')}. "
        f"Sign up for a free key at {site_url}{SIGN_IN_PAGE} "
        f"and manage it at {site_url}{KEYS_PAGE}."
    )
    head = {"sample": True, "total": total, "limit": SAMPLE_SIZE, "offset": 0}
    return as_page({**head, "hint": hint, "agent": AGENT}, documents)


def _page(query: ListSources, caller: Caller) -> LazyResponse:
    services, now = context(), context().now()
    with services.db.read() as session:
        slugs = None
        if query.selected is not None and not caller.reads_everything:
            slugs = usable_sources(session, caller, now=now)
        source_filter = SourceFilter(query.vendor, query.q, query.adapter_type, query.kind, slugs)
        totals = catalog_totals(session)
        page = page_states(session, source_filter, limit=query.limit, offset=query.offset)
        items = source_cache(services).items(
            session, page.states, catalog_version=totals.catalog_version, now=now
        )

    def write() -> Response:
        return list_response(query, [item.full for item in items], total=page.total)

    state = (query.to_link(), page.total, digest_of(items))
    return LazyResponse(etag_of_state(services.api_url, "sources", *state), write)


def usable_sources(session: Session, caller: Caller, *, now: datetime) -> frozenset[str]:
    """Return the selected sources of a caller; none if there are more than the plan has slots."""
    selected, in_account = caller.choices(session, now=now)
    slots = PLANS[caller.plan].slots
    fits = slots is None or in_account <= slots
    return frozenset(selected) if fits else frozenset()


def request_source(body: dict[str, str], _caller: Caller | None) -> Response:
    """Answer POST /sources/request: store the address and the note, fetch nothing."""
    services, now = context(), context().now()
    with services.db.write() as session:
        request = add_request(session, url=body["url"], note=body.get("note"), now=now)
        record = orjson.dumps(as_request_record(request))
    return json_response(record, status=201)
