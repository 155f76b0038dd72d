"""Writes responses in the shapes of the contract: pages of lists, and sources."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final, TypeAlias

import orjson
from starlette.responses import Response

from handlers.context import Judge, context
from openapi.queries import (
    ExportEntries,
    ListDeadlines,
    ListDeliveries,
    ListEntries,
    ListImportant,
    ListLatest,
    ListSources,
    ListUpgrades,
)
from openapi.shapes import ChangelogSource, ChangelogSourceSample
from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem
from storage.entries.documents import timestamp_or_none

FIRST: Final = 0
PageQuery: TypeAlias = (
    ListSources
    | ListEntries
    | ExportEntries
    | ListLatest
    | ListImportant
    | ListDeadlines
    | ListDeliveries
    | ListUpgrades
)
"""The query of a list that is read page by page."""
WITH_MESSAGE = {Health.DEGRADED, Health.PROBLEMATIC}


def json_response(
    body: bytes, *, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    """Return a response with a body of JSON."""
    return Response(body, status_code=status, headers=headers, media_type="application/json")


def as_page(head: Mapping[str, object], documents: Sequence[bytes]) -> bytes:
    """Join stored JSON objects into a page; ``head`` holds its other members."""
    return b'%b,"items":[%b]}' % (orjson.dumps(dict(head))[:-1], b",".join(documents))


def page_links(query: PageQuery, api_url: str, *, total: int) -> str:
    """Return the Link header of a page (RFC 8288): first, prev, next and last, where they exist.

    ``last`` is where following ``next`` ends. Beyond the end, ``prev`` is the last page. Everything
    but unreserved characters is percent-encoded: an address holds neither the end of a link nor a
    comma, at which some readers split the header.
    """
    limit, offset = query.limit, query.offset
    walked = offset % limit if offset < total else FIRST
    last = walked + max(0, total - 1 - walked) // limit * limit
    offsets = {"first": FIRST}
    if offset > FIRST:
        offsets["prev"] = max(FIRST, min(offset - limit, last))
    if offset + limit < total:
        offsets["next"] = offset + limit
    offsets["last"] = last
    address = f"{api_url}{query.PATH}?{_asked_by(query)}&offset="
    return ", ".join(f'<{address}{start}>; rel="{name}"' for name, start in offsets.items())


@lru_cache(maxsize=256)
def _asked_by(query: PageQuery) -> str:
    return query.to_link(limit=query.limit, offset=None)


def list_response(
    query: PageQuery, documents: Sequence[bytes], *, total: int, **members: object
) -> Response:
    """Return a page of a list with links to its neighbours; ``members`` are before its total."""
    head = {**members, "total": total, "limit": query.limit, "offset": query.offset}
    links = page_links(query, context().api_url, total=total)
    return json_response(as_page(head, documents), headers={"Link": links})


def as_source(
    item: CatalogItem, purls: Sequence[str], *, judge: Judge, now: datetime
) -> ChangelogSource:
    """Return the full catalog item (specification 2.1) with the packages that it is about."""
    health, message = judge(item, now)
    return {
        "slug": item.slug,
        "vendor": item.vendor,
        "name": item.name,
        "kind": item.kind.value,
        "homepage": item.homepage,
        "changelogUrl": item.changelog_url,
        "adapterType": item.adapter_type.value,
        "tier": item.tier.value,
        "tags": item.tags,
        "purls": list(purls),
        "lastUpdatedAt": timestamp_or_none(item.last_updated_at),
        "lastFetchedAt": timestamp_or_none(item.last_success_at),
        "health": health.value,
        "healthMessage": message if health in WITH_MESSAGE else None,
    }


def as_sample(item: CatalogItem, *, judge: Judge, now: datetime) -> ChangelogSourceSample:
    """Return the public sample item (specification 2.2): seven fields, no addresses but one."""
    return {
        "slug": item.slug,
        "vendor": item.vendor,
        "name": item.name,
        "kind": item.kind.value,
        "homepage": item.homepage,
        "lastUpdatedAt": timestamp_or_none(item.last_updated_at),
        "health": judge(item, now)[0].value,
    }
