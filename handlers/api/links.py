"""Link headers that name a page's neighbours (RFC 8288): complete addresses, ready to request.

They are built from the site's public address alone, as a request may name any host. Everything but
unreserved characters is percent-encoded, so that an address holds neither the end of a link nor a
comma, at which some readers split the header.
"""

from typing import Any, ClassVar, Final, Protocol

FIRST: Final = 0


class LinkedQuery(Protocol):
    """The query of a list, as in ``openapi.queries``."""

    PATH: ClassVar[str]

    def to_link(self, **changes: Any) -> str:
        """Return the query string with some parameters changed."""


class PageQuery(LinkedQuery, Protocol):
    """The query of a list that is read page by page."""

    @property
    def limit(self) -> int:
        """How many items a page holds."""

    @property
    def offset(self) -> int:
        """How many items come before the page."""


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
    return ", ".join(
        link(query, api_url, relation, limit=limit, offset=start)
        for relation, start in offsets.items()
    )


def link(query: LinkedQuery, api_url: str, relation: str, **changes: Any) -> str:
    """Return one link of a Link header: to the same list with some parameters changed."""
    return f'<{api_url}{query.PATH}?{query.to_link(**changes)}>; rel="{relation}"'
