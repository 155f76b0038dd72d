"""RSS 2.0 by the rules that feed validators check (specification 4.7)."""

import re
from datetime import timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

ATOM = "{http://www.w3.org/2005/Atom}"
DC = "{http://purl.org/dc/elements/1.1/}"
FEEDS = ["/rss/updates.xml", "/rss/important.xml"]
HOUR = timedelta(hours=1)
RFC_822 = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT")


@pytest.fixture
def read(site):
    """Read a feed as XML: its channel."""

    def read(path="/rss/updates.xml"):
        return ElementTree.fromstring(site.get(path).data)[0]

    return read


def texts(channel, name):
    return [each.findtext(name) for each in channel.iter("item")]


@pytest.mark.parametrize("path", FEEDS)
def test_every_element_is_one_of_rss_and_stands_once(show, read, path):
    show("Two", hours=1, categories=["breaking"])
    show("One", hours=2, categories=["security", "deprecation"])

    channel = read(path)

    (itself,) = channel.findall(f"{ATOM}link")
    assert itself.attrib["href"] == f"https://changewire.example{path}"
    assert channel.findtext("link") == "https://changewire.example/"
    assert all(channel.findtext(name) for name in ("title", "description", "language", "ttl"))
    for item in channel.iter("item"):
        names = [each.tag for each in item if each.tag != "category"]
        assert names == ["title", "link", "description", f"{DC}creator", "guid", "pubDate"]
        assert all(each.text.strip() for each in item)
        assert RFC_822.fullmatch(item.findtext("pubDate"))
        assert urlsplit(item.findtext("link")).scheme in ("http", "https")


def test_an_item_says_what_the_entry_says(show, read):
    text = "## Added\n\n- A <b>bold</b> tag\n- Tea\n\nThat is all."
    show("Version 2 & more", text, hours=3, url=None, categories=["breaking"])

    (item,) = read("/rss/important.xml").iter("item")

    assert item.findtext("title") == "Version 2 & more"
    assert item.findtext("link") == "https://acme.example/mail"
    assert item.findtext("description") == (
        "<p>breaking: “Version 2 &amp; more”</p><h2>Added</h2>"
        "<ul><li>A &lt;b&gt;bold&lt;/b&gt; tag</li><li>Tea</li></ul>"
        "<p>That is all.</p>"
    )
    assert item.findtext(f"{DC}creator") == "Acme Mail"
    assert item.findtext("pubDate") == "Sat, 21 Nov 2026 09:00:00 GMT"
    assert [each.text for each in item.findall("category")] == [
        *("acme", "cloud", "email", "breaking")
    ]


def test_the_newest_fifty_come_first_and_none_of_the_future(show, read):
    for number in range(60):
        show(f"e{number}", hours=number)
    show("ahead", hours=-1)

    assert texts(read(), "title") == [f"e{number}" for number in range(50)]


def test_the_time_of_the_last_change_is_not_the_clock(show, read, site, now):
    show("One", hours=5, seen=-3 * HOUR)
    show("Two", hours=4, seen=-2 * HOUR)

    response = site.get("/rss/updates.xml")

    changed_at = now - 2 * HOUR
    assert parsedate_to_datetime(read().findtext("lastBuildDate")) == changed_at
    assert response.last_modified == changed_at


@pytest.mark.parametrize("path", FEEDS)
def test_an_empty_feed_is_a_feed_without_a_time(site, read, path):
    response = site.get(path)

    assert response.status_code == 200
    assert response.last_modified is None
    assert read(path).find("lastBuildDate") is None
    assert read(path).find("item") is None


@pytest.mark.parametrize(
    ("title", "summary", "expected"),
    [("", "Now in green.\n\nMore.", "Now in green. More."), (" ", None, "acme.mail")],
)
def test_a_nameless_entry_is_called_by_what_is_known(show, read, title, summary, expected):
    show(title, summary, external_id="1")

    assert texts(read(), "title") == [expected]
