"""The RSS feed (specification 4.7)."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from itertools import pairwise
from xml.etree import ElementTree as ET

from conformance.checks.probe import Audience, NotApplicable, Probe, check
from conformance.checks.universal import LARGEST_FEED, looks_like_a_feed, root_of_feed
from conformance.http_messages import Response

_RSS = "/rss/updates.xml"
_AHEAD = timedelta(minutes=15)  # ten, and clocks need not agree


def _read(probe: Probe) -> tuple[Response, ET.Element]:
    """Return the feed and its root; that it can be read is a check of its own."""
    response = probe.visit(_RSS)
    try:
        return response, root_of_feed(response)
    except ET.ParseError as error:
        raise NotApplicable("the RSS feed is not well-formed") from error


@check(
    "specification 4.7",
    "Public RSS feed of updates.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_is_well_formed(probe: Probe) -> None:
    response = probe.visit(_RSS)
    probe.expect(len(response.body) < LARGEST_FEED, response, "is larger than 10 MB")
    try:
        root = root_of_feed(response)
    except ET.ParseError as error:
        probe.expect(False, response, f"is not well-formed: {error}")
        return
    media_type = response.headers.get("content-type", "")
    probe.expect("xml" in media_type, response, f"is {media_type or 'of no media type'}")
    channel = next((one for one in root if one.tag.rpartition("}")[2] == "channel"), None)
    known = root.tag == "rss" or root.tag.endswith("}RDF")  # RSS 2.0, or 1.0
    probe.expect(known and channel is not None, response, "is no RSS")


@check(
    "docs/decisions/0027",
    "Every item has a title, a link to the web and a guid of its own.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_items_are_whole(probe: Probe) -> None:
    response, root = _read(probe)
    for item in root.iter("item"):
        link, title = item.findtext("link") or "", item.findtext("title")
        probe.expect(bool(title), response, "has an item without a title")
        safe = not link or link.startswith(("http://", "https://"))
        probe.expect(safe, response, f"has the link {link}")
    guids = [item.findtext("guid") for item in root.iter("item")]
    probe.expect(len(set(guids)) == len(guids), response, "has a guid twice")
    some = bool(guids) or not probe.get("/latest", {"limit": 1}).items
    probe.expect(some, response, "has no item, although /latest has")


@check(
    "docs/decisions/0027",
    "An update is the same one at the next look: its guid stays.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_items_keep_their_guid(probe: Probe) -> None:
    _, root = _read(probe)
    response, again = _read(probe)
    before, after = (
        {item.findtext("guid") for item in feed.iter("item")} for feed in (root, again)
    )
    probe.expect(not before or bool(before & after), response, "has no guid of a moment ago")


@check(
    "docs/decisions/0027",
    "Entries more than 10 minutes ahead of now are left out of /latest, /important and the RSS.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_items_are_dated_and_newest_first(probe: Probe) -> None:
    response, root = _read(probe)
    times: list[datetime] = []
    for item in root.iter("item"):
        text = item.findtext("pubDate") or ""
        try:
            at = parsedate_to_datetime(text)
        except ValueError:
            probe.expect(False, response, f"has the pubDate {text!r}, which is not of RFC 822")
            continue
        times.append(at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))
    late = [time for time in times if time > probe.now + _AHEAD]
    probe.expect(not late, response, f"has an item of {_named(late)}")
    risen = [after for before, after in pairwise(times) if after > before]
    probe.expect(not risen, response, f"has an item of {_named(risen)} after an older one")


def _named(times: list[datetime]) -> str:
    """Return the first of some times."""
    return f"{times[0]:%Y-%m-%dT%H:%M:%SZ}" if times else ""


@check(
    "specification 2.1",
    "The feed address of a source is never included in any customer API response; nor in the RSS "
    "feed.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_shows_no_feed_address(probe: Probe) -> None:
    response, root = _read(probe)
    own = probe.site.address
    for element in root.iter():
        address = element.get("url") or element.get("href") or ""
        if element.tag.endswith("}link") or element.tag == "source":
            foreign = bool(address) and not address.startswith(own) and _RSS not in address
            foreign = foreign and (element.tag == "source" or looks_like_a_feed(address))
            probe.expect(not foreign, response, f"shows {address}")
    for item in root.iter("item"):
        link = item.findtext("link") or ""
        probe.expect(not looks_like_a_feed(link), response, f"links to {link}")
