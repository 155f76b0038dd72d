"""Other forms of the same: Atom, CSV, and what programs read first (docs/decisions/0027)."""

import csv
import io
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from conformance.http_messages import Response
from conformance.probe import Fault, Probe, expect, expect_refusal
from conformance.rules import LARGEST_FEED, looks_like_a_feed, root_of_feed

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
        raise Fault(f"is not well-formed: {error}", response) from error
    expect(root.tag == f"{_ATOM}feed", response, f"is no Atom but {root.tag}")
    return response, root


@pytest.mark.origin("docs/decisions/0027")
def test_atom_is_whole(public: Probe) -> None:
    """Atom (RFC 4287) beside RSS: every feed and entry has one id, title and updated."""
    for path in ("/feeds/updates.atom", "/feeds/important.atom"):
        response, root = _atom(public, path)
        entries = root.findall(f"{_ATOM}entry")
        for element in (root, *entries):
            lacking = [
                name for name in ("id", "title", "updated")
                if len(element.findall(_ATOM + name)) != 1
            ]  # fmt: skip
            expect(not lacking, response, f"has an element without one {lacking}")
        ids = [entry.findtext(f"{_ATOM}id") for entry in entries]
        expect(len(ids) == len(set(ids)), response, "has two entries of one id")


@pytest.mark.origin("docs/decisions/0027")
def test_a_source_has_a_feed_of_its_own(public: Probe) -> None:
    """Every source has a public feed of ours, which leads to its changelog and to no feed of its
    vendor."""
    sample = public.needs(public.get("/sources").items, "an empty catalog")
    for source in sample:
        response, root = _atom(public, f"/feeds/{source['slug']}.atom")
        for link in root.iter(f"{_ATOM}link"):
            address = link.get("href") or ""
            right = link.get("rel") == "self" or not looks_like_a_feed(address)
            expect(right, response, f"shows {address}")


@pytest.mark.origin("docs/decisions/0027")
def test_csv_pages_are_the_pages_in_json(reader: Probe) -> None:
    """/entries.csv takes what /entries takes, with the same entries; a refusal is the Error
    object."""
    params: dict[str, str | int] = {"sources": reader.source(), "limit": 30}
    page = reader.get("/entries", params)
    response = reader.visit("/entries.csv", params, headers=reader.caller.headers)
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    ids = [row["id"].removeprefix("'") for row in rows]
    listed = [str(item["id"]).removeprefix("'") for item in page.items]
    expect(ids == listed, response, f"has {len(ids)} other entries than the list")
    formulas = [cell for row in rows for cell in row.values() if cell and cell[0] in _COMPUTED]
    expect(not formulas, response, f"has a cell that computes: {', '.join(formulas[:1])}")
    refused = reader.visit("/entries.csv", "", status=None, headers=reader.caller.headers)
    expect_refusal(refused, 400, "invalid_request")
    stranger = reader.visit("/entries.csv", params, status=None)
    expect_refusal(stranger, 401, "unauthorized")


@pytest.mark.origin("docs/decisions/0027")
def test_the_api_catalog_names_the_api(public: Probe) -> None:
    """/.well-known/api-catalog (RFC 9727): a linkset that names the API, its description and
    state."""
    response = public.visit(_CATALOG)
    media_type = response.headers.get("content-type", "")
    right = media_type.startswith("application/linkset+json") and _PROFILE in media_type
    expect(right, response, f"is {media_type or 'of no media type'}")
    contexts = response.field("linkset") or []
    apis = {target["href"] for context in contexts for target in context.get("item", [])}
    described = [context for context in contexts if context.get("anchor") in apis]
    expect(bool(described), response, "names no API that it describes")
    for context in described:
        lacking = {"service-desc", "service-doc", "status"} - context.keys()
        expect(not lacking, response, f"does not name {sorted(lacking)}")
    head = public.visit(_CATALOG, method="HEAD")
    named = 'rel="api-catalog"' in head.headers.get("link", "")
    expect(named, head, "does not name the catalog in Link")


@pytest.mark.origin("docs/decisions/0027")
def test_llms_txt_says_what_is_where(public: Probe) -> None:
    """/llms.txt says where the API, its documents and the feeds are."""
    response = public.visit("/llms.txt")
    for word in ("/entries", "/openapi.json", "/rss/updates.xml", "/changes"):
        expect(word in response.text, response, f"does not mention {word}")


_RSS = "/rss/updates.xml"
_AHEAD = timedelta(minutes=15)  # ten, and clocks need not agree


def _read(probe: Probe) -> tuple[Response, ET.Element]:
    """Return the feed and its root; that it can be read is a check of its own."""
    response = probe.visit(_RSS)
    try:
        return response, root_of_feed(response)
    except ET.ParseError:
        pytest.skip("the RSS feed is not well-formed")


@pytest.mark.origin("specification 4.7")
def test_rss_is_well_formed(public: Probe) -> None:
    """Public RSS feed of updates."""
    response = public.visit(_RSS)
    expect(len(response.body) < LARGEST_FEED, response, "is larger than 10 MB")
    try:
        root = root_of_feed(response)
    except ET.ParseError as error:
        expect(False, response, f"is not well-formed: {error}")
        return
    media_type = response.headers.get("content-type", "")
    expect("xml" in media_type, response, f"is {media_type or 'of no media type'}")
    channel = next((one for one in root if one.tag.rpartition("}")[2] == "channel"), None)
    known = root.tag == "rss" or root.tag.endswith("}RDF")  # RSS 2.0, or 1.0
    expect(known and channel is not None, response, "is no RSS")


@pytest.mark.origin("docs/decisions/0027")
def test_rss_items_are_whole(public: Probe) -> None:
    """Every item has a title, a link to the web and a guid of its own."""
    response, root = _read(public)
    for item in root.iter("item"):
        link, title = item.findtext("link") or "", item.findtext("title")
        expect(bool(title), response, "has an item without a title")
        safe = not link or link.startswith(("http://", "https://"))
        expect(safe, response, f"has the link {link}")
    guids = [item.findtext("guid") for item in root.iter("item")]
    expect(len(set(guids)) == len(guids), response, "has a guid twice")
    some = bool(guids) or not public.get("/latest", {"limit": 1}).items
    expect(some, response, "has no item, although /latest has")


@pytest.mark.origin("docs/decisions/0027")
def test_rss_items_keep_their_guid(public: Probe) -> None:
    """An update is the same one at the next look: its guid stays."""
    _, root = _read(public)
    response, again = _read(public)
    before, after = (
        {item.findtext("guid") for item in feed.iter("item")} for feed in (root, again)
    )
    expect(not before or bool(before & after), response, "has no guid of a moment ago")


@pytest.mark.origin("docs/decisions/0027")
def test_rss_items_are_dated_and_newest_first(public: Probe) -> None:
    """Entries more than 10 minutes ahead of now are left out of /latest, /important and the RSS."""
    response, root = _read(public)
    times: list[datetime] = []
    for item in root.iter("item"):
        text = item.findtext("pubDate") or ""
        try:
            at = parsedate_to_datetime(text)
        except ValueError:
            expect(False, response, f"has the pubDate {text!r}, which is not of RFC 822")
            continue
        times.append(at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    late = [time for time in times if time > public.now + _AHEAD]
    expect(not late, response, f"has an item of {_named(late)}")
    risen = [after for before, after in pairwise(times) if after > before]
    expect(not risen, response, f"has an item of {_named(risen)} after an older one")


def _named(times: list[datetime]) -> str:
    """Return the first of some times."""
    return f"{times[0]:%Y-%m-%dT%H:%M:%SZ}" if times else ""


@pytest.mark.origin("specification 2.1")
def test_rss_shows_no_feed_address(public: Probe) -> None:
    """The feed address of a source is never included in any customer API response; nor in the RSS
    feed."""
    response, root = _read(public)
    own = public.site.address
    for element in root.iter():
        address = element.get("url") or element.get("href") or ""
        if element.tag.endswith("}link") or element.tag == "source":
            foreign = bool(address) and not address.startswith(own) and _RSS not in address
            foreign = foreign and (element.tag == "source" or looks_like_a_feed(address))
            expect(not foreign, response, f"shows {address}")
    for item in root.iter("item"):
        link = item.findtext("link") or ""
        expect(not looks_like_a_feed(link), response, f"links to {link}")
