"""What three readers of other people find in the feeds."""

import json
from datetime import UTC, datetime
from html import unescape

import atoma
import fastfeedparser
import feedparser
import pytest

TITLE = "Größere Änderung & more: 1 < 2"
RSS, JSON = "/rss/{}.xml", "/feeds/{}.json"
ID = "acme.mail:tag:acme.example,2026:1"
PUBLISHED_AT = datetime(2026, 11, 21, 11, 0, tzinfo=UTC)


def by_feedparser(data):
    found = feedparser.parse(data, sanitize_html=False)
    (entry,) = found.entries
    assert not found.bozo
    return entry.title, entry.id, datetime(*entry.published_parsed[:6], tzinfo=UTC)


def by_fastfeedparser(data):
    (entry,) = fastfeedparser.parse(data).entries
    return entry.title, entry.id, datetime.fromisoformat(entry.published)


def rss_by_atoma(data):
    (item,) = atoma.parse_rss_bytes(data).items
    return item.title, item.guid, item.pub_date


def json_by_atoma(data):
    (item,) = atoma.parse_json_feed_bytes(data).items
    return item.title, item.id_, item.date_published


@pytest.mark.parametrize(
    ("read", "path"),
    [
        *((read, RSS) for read in (by_feedparser, by_fastfeedparser, rss_by_atoma)),
        *((read, JSON) for read in (by_fastfeedparser, json_by_atoma)),
    ],
)
@pytest.mark.parametrize("name", ["updates", "important"])
def test_readers_of_other_people_find_the_entry(served, read, path, name):
    assert read(served(path.format(name))) == (TITLE, ID, PUBLISHED_AT)


@pytest.mark.parametrize(
    "title", ["The <b> element", "a </b> and <br/>", "Escape &amp; as &lt;", "List<String> & Co"]
)
@pytest.mark.parametrize("path", [RSS, "/feeds/{}.atom"])
def test_a_title_with_angle_brackets_is_read_back(site, show, path, title):
    show(title, external_id="1")

    (entry,) = feedparser.parse(site.get(path.format("updates")).data).entries

    is_html = entry.title_detail.type == "text/html"
    assert (unescape(entry.title) if is_html else entry.title) == title


@pytest.mark.parametrize("path", [RSS, JSON, "/feeds/{}.atom"])
def test_an_id_stays_through_edits_and_the_important_feed_has_important_entries_alone(
    site, show, path
):
    def ids(name):
        found = fastfeedparser.parse(site.get(path.format(name)).data).entries
        return {entry.title: entry.id for entry in found}

    show("Before", external_id="1")
    show("Other", external_id="1", slug="hooli.mail", categories=["security"])
    before = ids("updates")
    show("After", external_id="1")
    after = ids("updates")

    assert before["Before"] == after["After"] != after["Other"] == before["Other"]
    assert ids("important") == {"Other": after["Other"]}


def test_a_json_feed_has_what_version_1_1_asks_for(served):
    found = json.loads(served("/feeds/updates.json"))

    assert found["version"] == "https://jsonfeed.org/version/1.1"
    assert found["home_page_url"] == "https://changewire.example/"
    (item,) = found["items"]
    assert (item["title"], item["tags"]) == (TITLE, ["acme", "cloud", "email", "breaking"])
    assert item["content_text"].startswith("## Added\n\n- Tea & coffee\n- A <b>bold</b> tag")
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
