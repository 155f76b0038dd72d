"""The RSS feed (specification 4.7), and entries as CSV (docs/decisions/0027)."""

import csv
import io
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal
from conformance.rules import LARGEST_FEED, looks_like_a_feed, root_of_feed

_COMPUTED = tuple("=+-@\t\r\n")


@pytest.mark.origin("docs/decisions/0027")
def test_csv_pages_are_the_pages_in_json(reader: Probe) -> None:
    """/entries.csv takes what /entries takes, with the same entries; a refusal is the Error
    object."""
    params: dict[str, str | int] = {"sources": reader.source(), "limit": 30}
    page = reader.get("/entries", params)
    response = reader.get("/entries.csv", params)
    rows = list(csv.DictReader(io.StringIO(response.text, newline="")))
    ids = [row["id"].removeprefix("'") for row in rows]
    listed = [str(item["id"]).removeprefix("'") for item in page.items]
    expect(ids == listed, response, f"has {len(ids)} other entries than the list")
    formulas = [cell for row in rows for cell in row.values() if cell and cell[0] in _COMPUTED]
    expect(not formulas, response, f"has a cell that computes: {', '.join(formulas[:1])}")
    expect_refusal(reader.get("/entries.csv", status=None), 400, "invalid_request")


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
