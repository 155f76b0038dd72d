"""What three readers of other people find in the feeds."""

import json
from datetime import UTC, datetime

import atoma
import fastfeedparser
import feedparser
import pytest

TITLE = "Größere Änderung & more: 1 < 2"
SUMMARY = "## Added\n\n- Tea & coffee\n- A <b>bold</b> tag\n\nThat is all."
ID = "acme.mail:tag:acme.example,2026:1"
PUBLISHED_AT = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
LABELS = ["acme", "cloud", "email", "breaking"]


@pytest.fixture
def served(site, show):
    """Serve an entry with everything that is hard to carry: ``served(path)``, its bytes."""
    show(
        TITLE,
        SUMMARY,
        external_id="tag:acme.example,2026:1",
        url="https://acme.example/1?a=1&b=2",
        categories=["breaking"],
    )
    return lambda path: site.get(path).data


@pytest.mark.parametrize("path", ["/rss/updates.xml", "/rss/important.xml"])
def test_feedparser_reads_rss(served, path):
    found = feedparser.parse(served(path), sanitize_html=False)

    (entry,) = found.entries
    assert (found.bozo, found.version, found.feed.language) == (False, "rss20", "en")
    assert found.feed.links[-1].rel == "self"
    assert (entry.title, entry.id, entry.guidislink) == (TITLE, ID, False)
    assert entry.link == "https://acme.example/1?a=1&b=2"
    assert entry.published_parsed[:6] == (2026, 11, 21, 11, 0, 0)
    assert [tag.term for tag in entry.tags] == LABELS
    assert "<li>Tea &amp; coffee</li>" in entry.summary
    assert "A &lt;b&gt;bold&lt;/b&gt; tag" in entry.summary
    assert entry.author == "Acme Mail"


@pytest.mark.parametrize("path", ["/rss/updates.xml", "/rss/important.xml"])
def test_fastfeedparser_reads_rss(served, path):
    found = fastfeedparser.parse(served(path))

    (entry,) = found.entries
    assert (entry.title, entry.id) == (TITLE, ID)
    assert entry.link == "https://acme.example/1?a=1&b=2"
    assert datetime.fromisoformat(entry.published) == PUBLISHED_AT


@pytest.mark.parametrize("path", ["/rss/updates.xml", "/rss/important.xml"])
def test_atoma_reads_rss(served, path):
    found = atoma.parse_rss_bytes(served(path))

    (item,) = found.items
    assert (item.title, item.guid, item.pub_date) == (TITLE, ID, PUBLISHED_AT)
    assert item.link == "https://acme.example/1?a=1&b=2"
    assert item.categories == LABELS
    assert found.ttl == 60
    assert found.last_build_date == datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("path", ["/feeds/updates.json", "/feeds/important.json"])
def test_atoma_reads_json_feed(served, path):
    found = atoma.parse_json_feed_bytes(served(path))

    (item,) = found.items
    assert found.feed_url == f"https://changewire.example{path}"
    assert (item.id_, item.title, item.content_text) == (ID, TITLE, SUMMARY)
    assert (item.date_published, item.date_modified) == (PUBLISHED_AT, None)
    assert item.tags == LABELS


@pytest.mark.parametrize("path", ["/feeds/updates.json", "/feeds/important.json"])
def test_fastfeedparser_reads_json_feed(served, path):
    found = fastfeedparser.parse(served(path))

    (entry,) = found.entries
    assert (entry.title, entry.id) == (TITLE, ID)
    assert datetime.fromisoformat(entry.published) == PUBLISHED_AT


def test_a_json_feed_has_what_version_1_1_asks_for(served):
    found = json.loads(served("/feeds/updates.json"))

    assert found["version"] == "https://jsonfeed.org/version/1.1"
    assert found["home_page_url"] == "https://changewire.example/"
    (item,) = found["items"]
    assert item["authors"] == [{"name": "Acme Mail"}]
    assert item["_changewire"] == {
        "source": "acme.mail",
        "vendor": "acme",
        "categories": ["breaking"],
        "evidence": [{"category": "breaking", "text": TITLE}],
    }


def test_an_edited_entry_says_when(served, show, site):
    served("/feeds/updates.json")
    show(TITLE, "Less.", external_id="tag:acme.example,2026:1")

    (item,) = json.loads(site.get("/feeds/updates.json").data)["items"]

    assert (item["content_text"], item["date_modified"]) == ("Less.", "2026-11-21T12:00:00Z")
