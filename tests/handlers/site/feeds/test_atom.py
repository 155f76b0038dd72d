"""The Atom feeds: RFC 4287, and one for each source."""

from xml.etree import ElementTree

import feedparser
import pytest

A = "{http://www.w3.org/2005/Atom}"
PATHS = ["/feeds/updates.atom", "/feeds/important.atom", "/feeds/acme.mail.atom"]


@pytest.mark.parametrize("path", PATHS)
def test_a_feed_has_all_that_it_has_to_have(served, site, path):
    """RFC 4287 sections 4.1.1 and 4.1.2: exactly one id, title and updated; an author."""
    feed = ElementTree.fromstring(served(path))

    assert site.get(path).mimetype == "application/atom+xml"
    for element in (feed, *feed.iter(f"{A}entry")):
        for name in ("id", "title", "updated"):
            assert [bool(each.text) for each in element.findall(A + name)] == [True]
        assert element.find(f"{A}author/{A}name").text
        hrefs = [each.get("href") for each in element.findall(f"{A}link[@rel='alternate']")]
        assert len(hrefs) == 1
    (entry,) = feedparser.parse(served(path), sanitize_html=False).entries
    assert entry.id.startswith("urn:uuid:")
    assert [tag.term for tag in entry.tags] == ["acme", "cloud", "email", "breaking"]
    assert "A &lt;b&gt;bold&lt;/b&gt; tag" in entry.content[0].value


def test_the_feed_of_a_source_has_its_entries_alone_and_leads_to_its_changelog(site, show):
    show("mine")
    show("another's", slug="acme.storage")

    found = feedparser.parse(site.get(PATHS[2]).data)

    assert [entry.title for entry in found.entries] == ["mine"]
    assert (found.feed.title, found.feed.link) == (
        "Changewire: Acme Mail",
        "https://acme.example/mail",
    )


@pytest.mark.parametrize("slug", ["acme.nonsense", "updates.xml", "..", "%00", "a" * 3000])
def test_a_source_that_is_not_there_has_no_feed(site, slug):
    assert site.get(f"/feeds/{slug}.atom").status_code == 404
