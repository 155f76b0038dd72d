"""Link headers that name a page's neighbours (RFC 8288): complete addresses, ready to request.

They are built from the site's public address alone, as a request may name any host. Everything but
unreserved characters is percent-encoded, so that an address holds neither the end of a link nor a
comma, at which some readers split the header.
"""

from typing import Final, TypeAlias

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


def page_links(query: PageQuery, api_url: str, *, total: int) -> str:
    """Return the Link header of a page: first, prev, next and last, where they exist.

    ``last`` is where following ``next`` ends. Beyond the end, ``prev`` is the last page.
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
    address = f"{api_url}{query.PATH}?{query.to_link(limit=limit, offset=None)}&offset="
    return ", ".join([f'<{address}{start}>; rel="{name}"' for name, start in offsets.items()])
