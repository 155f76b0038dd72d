"""The catalog of this site's APIs (RFC 9727)."""

from typing import Final

import orjson
from flask import Blueprint, Response

from handlers.site.services import site_services
from openapi.contract import base_path
from openapi.vocabulary import Json

discovery = Blueprint("discovery", __name__)
PATH: Final = "/.well-known/api-catalog"
LINKSET: Final = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
CACHED: Final = {"Cache-Control": "public, max-age=60"}


@discovery.get(PATH)
def api_catalog() -> Response:
    """Serve the catalog, with its address in a header for HEAD requests (section 2)."""
    site_url = site_services().site_url
    answer = Response(orjson.dumps(linkset(site_url, site_url + base_path())), headers=CACHED)
    answer.headers["Content-Type"] = LINKSET
    answer.headers["Link"] = f'<{site_url}{PATH}>; rel="api-catalog"'
    return answer


def linkset(site_url: str, api: str) -> dict[str, Json]:
    """Return the documents about the API as a linkset (RFC 9264 section 4.2)."""
    return {
        "linkset": [
            {"anchor": f"{site_url}{PATH}", "item": [{"href": api, "title": "Changewire API"}]},
            {
                "anchor": api,
                "service-desc": [
                    {"href": f"{site_url}/openapi.json", "type": "application/json"},
                    {"href": f"{site_url}/openapi.yaml", "type": "application/yaml"},
                ],
                "service-doc": [{"href": f"{site_url}/docs", "type": "text/html"}],
                "service-meta": [{"href": f"{site_url}/llms.txt", "type": "text/plain"}],
                "status": [{"href": f"{site_url}/status.json", "type": "application/json"}],
            },
        ]
    }
