"""Other forms of the same: Atom, CSV, and what programs read first (docs/decisions/0027)."""

import csv
import io
from xml.etree import ElementTree as ET

from conformance.checks.probe import Audience, Probe, Stopped, check
from conformance.checks.universal import looks_like_a_feed, root_of_feed
from conformance.http_messages import Response

_ATOM = "{http://www.w3.org/2005/Atom}"
_CATALOG = "/.well-known/api-catalog"
_PROFILE = "https://www.rfc-editor.org/info/rfc9727"
_COMPUTED = tuple("=+-@\t\r\n")


def _atom(probe: Probe, path: str) -> tuple[Response, ET.Element]:
    """Return a feed and its root; ends the check where it is no Atom."""
    response = probe.visit(path)
    try:
        root = root_of_feed(response)
    except ET.ParseError as error:
        probe.expect(False, response, f"is not well-formed: {error}")
        raise Stopped from error
    probe.expect(root.tag == f"{_ATOM}feed", response, f"is no Atom but {root.tag}")
    return response, root


@check(
    "docs/decisions/0027",
    "Atom (RFC 4287) beside RSS: every feed and entry has one id, title and updated.",
    operation="GET /feeds/updates.atom, GET /feeds/important.atom",
    audience=Audience.SITE,
)
def atom_is_whole(probe: Probe) -> None:
    for path in ("/feeds/updates.atom", "/feeds/important.atom"):
        response, root = _atom(probe, path)
        entries = root.findall(f"{_ATOM}entry")
        for element in (root, *entries):
            lacking = [
                name for name in ("id", "title", "updated")
                if len(element.findall(_ATOM + name)) != 1
            ]  # fmt: skip
            probe.expect(not lacking, response, f"has an element without one {lacking}")
        ids = [entry.findtext(f"{_ATOM}id") for entry in entries]
        probe.expect(len(ids) == len(set(ids)), response, "has two entries of one id")


@check(
    "docs/decisions/0027",
    "Every source has a public feed of ours, which leads to its changelog and to no feed of its "
    "vendor.",
    operation="GET /feeds/{slug}.atom",
    audience=Audience.SITE,
)
def a_source_has_a_feed_of_its_own(probe: Probe) -> None:
    sample = probe.needs(probe.get("/sources").items, "an empty catalog")
    for source in sample:
        response, root = _atom(probe, f"/feeds/{source['slug']}.atom")
        for link in root.iter(f"{_ATOM}link"):
            address = link.get("href") or ""
            right = link.get("rel") == "self" or not looks_like_a_feed(address)
            probe.expect(right, response, f"shows {address}")


@check(
    "docs/decisions/0027",
    "/entries.csv takes what /entries takes, with the same entries; a refusal is the Error object.",
    operation="GET /entries.csv",
    audience=Audience.READER,
)
def csv_pages_are_the_pages_in_json(probe: Probe) -> None:
    params: dict[str, str | int] = {"sources": probe.source(), "limit": 30}
    page = probe.get("/entries", params)
    response = probe.visit("/entries.csv", params, headers=probe.caller.headers)
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    ids = [row["id"].removeprefix("'") for row in rows]
    listed = [str(item["id"]).removeprefix("'") for item in page.items]
    probe.expect(ids == listed, response, f"has {len(ids)} other entries than the list")
    formulas = [cell for row in rows for cell in row.values() if cell and cell[0] in _COMPUTED]
    probe.expect(not formulas, response, f"has a cell that computes: {', '.join(formulas[:1])}")
    refused = probe.visit("/entries.csv", "", status=None, headers=probe.caller.headers)
    probe.expect_refusal(refused, 400, "invalid_request")
    stranger = probe.visit("/entries.csv", params, status=None)
    probe.expect_refusal(stranger, 401, "unauthorized")


@check(
    "docs/decisions/0027",
    "/.well-known/api-catalog (RFC 9727): a linkset that names the API, its description and state.",
    operation=f"GET {_CATALOG}",
    audience=Audience.SITE,
)
def the_api_catalog_names_the_api(probe: Probe) -> None:
    response = probe.visit(_CATALOG)
    media_type = response.headers.get("content-type", "")
    right = media_type.startswith("application/linkset+json") and _PROFILE in media_type
    probe.expect(right, response, f"is {media_type or 'of no media type'}")
    contexts = response.field("linkset") or []
    apis = {target["href"] for context in contexts for target in context.get("item", [])}
    described = [context for context in contexts if context.get("anchor") in apis]
    probe.expect(bool(described), response, "names no API that it describes")
    for context in described:
        lacking = {"service-desc", "service-doc", "status"} - context.keys()
        probe.expect(not lacking, response, f"does not name {sorted(lacking)}")
    head = probe.visit(_CATALOG, method="HEAD")
    named = 'rel="api-catalog"' in head.headers.get("link", "")
    probe.expect(named, head, "does not name the catalog in Link")


@check(
    "docs/decisions/0027",
    "/llms.txt says where the API, its documents and the feeds are.",
    operation="GET /llms.txt",
    audience=Audience.SITE,
)
def llms_txt_says_what_is_where(probe: Probe) -> None:
    response = probe.visit("/llms.txt")
    for word in ("/entries", "/openapi.json", "/rss/updates.xml", "/changes"):
        probe.expect(word in response.text, response, f"does not mention {word}")
