"""The public feeds (specification 4.5 to 4.7)."""

from datetime import datetime, timedelta
from xml.etree import ElementTree as ET

from conformance.checks.probe import Audience, Probe, check
from conformance.checks.walk import newest_first, overlaps, pages
from openapi.vocabulary import Category

_AHEAD = timedelta(minutes=10)
_RSS = "/rss/updates.xml"
_LARGEST = 10_000_000


@check(
    "specification 4.5",
    "Returns important entries (breaking changes, deprecations, security fixes).",
    operation="GET /important",
    audience=Audience.ANYBODY,
)
def important_entries_say_why(probe: Probe) -> None:
    answer = probe.get("/important", {"limit": 100})
    for item in probe.needs(answer.items, "no important entries"):
        importance = item.get("importance") or {}
        categories = set(importance.get("categories") or [])
        unknown = categories - set(Category)
        known = bool(categories) and not unknown
        probe.expect(known, answer, f"has {item['id']} without a known category: {unknown}")
        proven = {each.get("category") for each in importance.get("evidence") or []}
        probe.expect(categories <= proven, answer, f"has {item['id']} without evidence")


@check(
    "docs/decisions (feeds)",
    "importance: why it is there, in the vendor's own words.",
    operation="GET /important",
    audience=Audience.PUBLIC,
)
def evidence_is_word_for_word(probe: Probe) -> None:
    answer = probe.get("/important", {"limit": 100})
    for item in probe.needs(answer.items, "no important entries"):
        for passage in item["importance"]["evidence"]:
            text = str(item.get(passage["field"]) or "")
            start, end = passage["start"], passage["end"]
            cut = passage["field"] == "summary" and end > len(text) - 1
            same = cut or text[start:end] == passage["text"]
            probe.expect(same, answer, f"quotes {passage['text']!r}, which {item['id']} has not")


@check(
    "docs/decisions (feeds)",
    "/latest and /important: newest first, pages do not overlap.",
    operation="GET /latest, GET /important",
    audience=Audience.PUBLIC,
)
def feeds_come_newest_first_and_in_pages(probe: Probe) -> None:
    for path in ("/latest", "/important"):
        whole = probe.get(path, {"limit": 40})
        newest_first(probe, whole)
        overlaps(probe, pages(probe, path, {}, limit=7, count=4), whole.items)


@check(
    "docs/decisions (feeds)",
    "Items of the public feeds: summary cut at 500 characters and without raw. Default limit 50.",
    operation="GET /latest, GET /important",
    audience=Audience.ANYBODY,
)
def feeds_are_cut_for_the_public(probe: Probe) -> None:
    for path in ("/latest", "/important"):
        answer = probe.get(path)
        probe.expect(answer.field("limit") == 50, answer, "does not have the limit 50 by default")
        for item in answer.items:
            probe.expect("raw" not in item, answer, f"shows raw of {item['id']}")
            length = len(str(item.get("summary") or ""))
            probe.expect(length <= 500, answer, f"has a summary of {length} characters")


@check(
    "docs/decisions (feeds)",
    "Entries more than 10 minutes ahead of now are left out of /latest and /important; future=1 "
    "includes them in /latest.",
    operation="GET /latest",
    audience=Audience.PUBLIC,
)
def future_entries_wait(probe: Probe) -> None:
    latest = probe.now + _AHEAD + timedelta(minutes=5)  # the clocks need not agree
    for path in ("/latest", "/important"):
        answer = probe.get(path, {"limit": 100})
        for item in answer.items:
            at = datetime.fromisoformat(str(item["published_at"]))
            probe.expect(at <= latest, answer, f"has {item['id']} of {item['published_at']}")
    plain, more = probe.get("/latest"), probe.get("/latest", {"future": 1})
    held = more.field("total") >= plain.field("total")
    probe.expect(held, more, "has fewer entries than without future")
    ahead = [i for i in more.items if datetime.fromisoformat(str(i["published_at"])) > latest]
    told = more.field("total") > plain.field("total") or not ahead
    probe.expect(told, more, "has future entries that its total does not count")
    for value in ("0", "true", "2", ""):
        wrong = probe.get("/latest", {"future": value}, status=None)
        probe.expect_refusal(wrong, 400, "invalid_request")


@check(
    "specification 4.7",
    "Public RSS feed of updates.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_is_well_formed(probe: Probe) -> None:
    answer = probe.visit(_RSS)
    media_type = answer.headers.get("content-type", "")
    probe.expect("xml" in media_type, answer, f"is {media_type or 'of no media type'}")
    probe.expect(len(answer.body) < _LARGEST, answer, "is larger than 10 MB")
    try:
        root = ET.fromstring(answer.body[:_LARGEST])  # noqa: S314 - capped just before
    except ET.ParseError as error:
        probe.expect(False, answer, f"is not well-formed: {error}")
        return
    channel = root.find("channel")
    probe.expect(root.tag == "rss" and channel is not None, answer, "is no RSS")
    for item in root.iter("item"):
        link, title = item.findtext("link") or "", item.findtext("title")
        probe.expect(bool(title), answer, "has an item without a title")
        safe = not link or link.startswith(("http://", "https://"))
        probe.expect(safe, answer, f"has the link {link}")
    guids = [item.findtext("guid") for item in root.iter("item")]
    probe.expect(len(set(guids)) == len(guids), answer, "has a guid twice")


@check(
    "specification 2.1",
    "The feed address of a source is never included in any customer API response; nor in the RSS "
    "feed.",
    operation=f"GET {_RSS}",
    audience=Audience.SITE,
)
def rss_shows_no_feed_address(probe: Probe) -> None:
    answer = probe.visit(_RSS)
    try:
        root = ET.fromstring(answer.body[:_LARGEST])  # noqa: S314 - capped
    except ET.ParseError:
        return  # rss-is-well-formed says so
    own = probe.site.address
    for element in root.iter():
        address = element.get("url") or element.get("href") or ""
        if element.tag.endswith("}link") or element.tag == "source":
            foreign = bool(address) and not address.startswith(own) and _RSS not in address
            probe.expect(not foreign, answer, f"shows {address}")
