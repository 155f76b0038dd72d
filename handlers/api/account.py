"""GET /me and GET /facets: what a caller may do, and what the catalog can be narrowed by."""

from collections.abc import Mapping

import orjson
from starlette.responses import Response

from handlers.api.render import json_response
from handlers.api.sources import usable_sources
from handlers.context import context
from handlers.http.auth import Caller
from openapi.queries import GetMe, ListFacets
from openapi.shapes import Facet, Facets, Me
from openapi.vocabulary import Scope
from storage.catalog.catalog_stats import facet_counts
from storage.entries.documents import timestamp_or_none
from storage.models import ApiKey
from storage.people.plans import PLANS


def get_me(_query: GetMe, caller: Caller) -> Response:
    """Answer GET /me."""
    with context().db.read() as session:
        key = None if caller.key_id is None else session.get_one(ApiKey, caller.key_id)
        _, in_account = caller.sources(session)
        sources = None if caller.reads_everything else usable_sources(session, caller)
    me: Me = {
        "plan": caller.plan.value,
        "diffs": caller.has_diffs,
        "scopes": [scope.value for scope in Scope if scope in caller.scopes],
        "sources": None if sources is None else sorted(sources),
        "slots": PLANS[caller.plan].slots,
        "slotsUsed": in_account,
        "expiresAt": timestamp_or_none(key.expires_at if key else None),
    }
    return json_response(orjson.dumps(me))


def list_facets(_query: ListFacets, _caller: Caller) -> Response:
    """Answer GET /facets."""
    with context().db.read() as session:
        tags, vendors, kinds = facet_counts(session)
    facets: Facets = {"tags": _facets(tags), "vendors": _facets(vendors), "kinds": _facets(kinds)}
    return json_response(orjson.dumps(facets))


def _facets(counts: Mapping[str, int]) -> list[Facet]:
    """Return values with their counts, the largest first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [{"value": value, "count": count} for value, count in ordered]
