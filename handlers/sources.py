"""The tag sources: the catalog, its sample, and wishes for more."""

from typing import Final

import orjson
from starlette.responses import Response

from handlers.auth import Caller, TokenInfo, caller_of
from handlers.context import context
from handlers.links import page_links
from handlers.refusals import KEYS_PAGE, SIGN_IN_PAGE
from handlers.render import as_request_record, as_sample, as_source, json_response
from openapi.contract import base_path
from openapi.shapes import SourcePage, SourceSample
from openapi.vocabulary import AdapterType, Plan
from storage.requests import add_request
from storage.sources import SourceFilter, count_sources, page_sources, sample_sources

SAMPLE_SIZE: Final = 5


def list_sources(
    token_info: TokenInfo,
    limit: int,
    offset: int,
    vendor: str | None = None,
    q: str | None = None,
    adapter_type: str | None = None,
    kind: str | None = None,
    selected: str | None = None,
) -> Response:
    """Answer GET /sources: the sample for anybody, the catalog for a caller."""
    caller = caller_of(token_info)
    if caller is None:
        return json_response(orjson.dumps(_sample()))
    wanted = SourceFilter(
        vendor=vendor,
        q=q,
        adapter_type=None if adapter_type is None else AdapterType(adapter_type),
        kind=kind,
    )
    page = _page(caller, wanted, limit, offset, only_selected=selected is not None)
    asked = {"vendor": vendor, "q": q, "adapterType": adapter_type, "kind": kind}
    links = page_links(
        f"{context().site_url}{base_path()}/sources",
        {**asked, "selected": selected},
        total=page["total"],
        limit=limit,
        offset=offset,
    )
    return json_response(orjson.dumps(page), headers={"Link": links})


def _sample() -> SourceSample:
    services, now = context(), context().now()
    with services.db.read() as session:
        items = sample_sources(session, limit=SAMPLE_SIZE, now=now)
        total = count_sources(session)
        return {
            "sample": True,
            "total": total,
            "limit": SAMPLE_SIZE,
            "offset": 0,
            "items": [as_sample(item, judge=services.judge, now=now) for item in items],
            "hint": (
                f"This is a sample of {len(items)} of {total} sources. "
                f"Sign up for a free key at {services.site_url}{SIGN_IN_PAGE} "
                f"and manage it at {services.site_url}{KEYS_PAGE}."
            ),
            "agent": (
                "This JSON is a sample and not the catalog. Do not invent feed addresses; "
                "no answer of this API holds any."
            ),
        }


def _page(
    caller: Caller, wanted: SourceFilter, limit: int, offset: int, *, only_selected: bool
) -> SourcePage:
    services, now = context(), context().now()
    with services.db.read() as session:
        if only_selected and caller.plan is not Plan.ALL:
            slugs = frozenset(caller.selection(session, now=now))
            wanted = SourceFilter(wanted.vendor, wanted.q, wanted.adapter_type, wanted.kind, slugs)
        page = page_sources(session, wanted, limit=limit, offset=offset, now=now)
        return {
            "total": page.total,
            "limit": limit,
            "offset": offset,
            "items": [as_source(item, judge=services.judge, now=now) for item in page.items],
        }


def request_source(body: dict[str, str]) -> Response:
    """Answer POST /sources/request: store the address and the note, fetch nothing."""
    services, now = context(), context().now()
    with services.db.write() as session:
        request = add_request(session, url=body["url"], note=body.get("note"), now=now)
        record = orjson.dumps(as_request_record(request))
    return json_response(record, status=201)
