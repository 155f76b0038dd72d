"""Link headers that name a page's neighbours (RFC 8288): complete addresses, ready to be asked for.

They are built from the site's public address alone: what a request says about its host is not to
be believed. Values are percent-encoded down to the unreserved characters of RFC 3986 section 2.3,
so that nothing in an address can end it, and even who splits the header at commas finds it whole.
"""

from collections.abc import Mapping
from typing import Final, TypeAlias
from urllib.parse import quote

Asked: TypeAlias = Mapping[str, str | int | None]
"""Parameters by name, as they stand in an address; None for one that was not sent."""

FIRST: Final = 0


def page_links(address: str, asked: Asked, *, total: int, limit: int, offset: int) -> str:
    """Return the Link header of an offset page: first, prev, next and last, as far as there are.

    Beyond the end, ``prev`` is the last page.
    """
    last = max(0, total - 1) // limit * limit
    places = {"first": FIRST}
    if offset > FIRST:
        places["prev"] = max(FIRST, min(offset - limit, last))
    if offset + limit < total:
        places["next"] = offset + limit
    places["last"] = last
    same = _query({**asked, "limit": limit})
    return ", ".join(
        [
            f'<{address}?{same}&offset={place}>; rel="{relation}"'
            for relation, place in places.items()
        ]
    )


def link(address: str, asked: Asked, relation: str) -> str:
    """Return one link of a Link header."""
    return f'<{address}?{_query(asked)}>; rel="{relation}"'


def _query(asked: Asked) -> str:
    return "&".join(
        [
            f"{quote(name, safe='')}={quote(str(value), safe='')}"
            for name, value in asked.items()
            if value is not None
        ]
    )
