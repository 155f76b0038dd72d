"""The RSS feed (specification 4.7)."""

from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect
from conformance.rules import looks_like_a_feed

_RSS = "/rss/updates.xml"
_AHEAD = timedelta(minutes=15)  # ten, and clocks need not agree


def _read(probe: Probe) -> tuple[Response, ET.Element]:
    """Return the feed and its root."""
    response = probe.visit(_RSS)
    try:
        return response, ET.fromstring(response.body)  # noqa: S314 - of limited size
    except ET.ParseError as error:
        raise AssertionError(response.report(f"is not well-formed: {error}")) from error


@pytest.mark.origin("specification 4.7")
def test_rss_is_well_formed(public: Probe) -> None:
    """Public RSS feed of updates."""
    response, root = _read(public)
    media_type = response.headers.get("content-type", "")
    expect("xml" in media_type, response, f"is {media_type or 'of no media type'}")
    channel = next((one for one in root if one.tag.rpartition("}")[2] == "channel"), None)
    known = root.tag == "rss" or root.tag.endswith("}RDF")  # RSS 2.0, or 1.0
    expect(known and channel is not None, response, "is no RSS")


@pytest.mark.origin("docs/decisions/0027")
def test_rss_items_are_whole_and_newest_first(public: Probe) -> None:
    """Every item has a title, a link to the web and a guid of its own. Entries more than 10 minutes
    ahead of now are left out of /latest, /important and the RSS."""
    response, root = _read(public)
    items, times = [*root.iter("item")], []
    for item in items:
        expect(bool(item.findtext("title")), response, "has an item without a title")
        link, written = item.findtext("link") or "", item.findtext("pubDate") or ""
        safe = not link or link.startswith(("http://", "https://"))
        expect(safe, response, f"has the link {link}")
        try:
            at = parsedate_to_datetime(written)
        except ValueError as error:
            raise AssertionError(response.report(f"has the pubDate {written!r}")) from error
        times.append(at if at.tzinfo else at.replace(tzinfo=UTC))
    guids = {item.findtext("guid") for item in items}
    expect(len(guids) == len(items), response, "has a guid twice")
    some = bool(items) or not public.get("/latest", {"limit": 1}).items
    expect(some, response, "has no item, although /latest has")
    late = [at for at in times if at > public.now + _AHEAD]
    expect(not late, response, f"has an item of {late[:1]}, which lies ahead")
    risen = [after for before, after in pairwise(times) if after > before]
    expect(not risen, response, f"has an item of {risen[:1]} after an older one")


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
