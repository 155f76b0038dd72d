"""The catalog of this site's APIs (RFC 9727)."""

from collections.abc import Sequence
from typing import Final

import orjson
from flask import Blueprint, Response

from handlers.majors import Major
from handlers.site.services import site_services
from openapi.vocabulary import Json

discovery = Blueprint("discovery", __name__)
PATH: Final = "/.well-known/api-catalog"
LINKSET: Final = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
CACHED: Final = {"Cache-Control": "public, max-age=60"}


@discovery.get(PATH)
def api_catalog() -> Response:
    """Serve the catalog, with its address in a header for HEAD requests (section 2)."""
    site_url = site_services().site_url
    document = orjson.dumps(linkset(site_url, site_services().majors))
    answer = Response(document, headers=CACHED)
    answer.headers["Content-Type"] = LINKSET
    answer.headers["Link"] = f'<{site_url}{PATH}>; rel="api-catalog"'
    return answer


def linkset(site_url: str, majors: Sequence[Major]) -> dict[str, Json]:
    """Return the documents about each major version as a linkset (RFC 9264 section 4.2)."""
    items: list[Json] = [
        {"href": site_url + major.base_path, "title": "Changewire API"} for major in majors
    ]
    about_each: list[Json] = [
        {
            "anchor": site_url + major.base_path,
            "service-desc": [
                {"href": f"{site_url}{major.document}.json", "type": "application/json"},
                {"href": f"{site_url}{major.document}.yaml", "type": "application/yaml"},
            ],
            "service-doc": [{"href": f"{site_url}/docs", "type": "text/html"}],
            "service-meta": [{"href": f"{site_url}/llms.txt", "type": "text/plain"}],
            "status": [{"href": f"{site_url}/status.json", "type": "application/json"}],
        }
        for major in majors
    ]
    return {"linkset": [{"anchor": f"{site_url}{PATH}", "item": items}, *about_each]}
