"""Our own changelog, as a page and as a feed."""

from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from handlers.site.guide import guide_views
from handlers.site.guide.guide_views import releases, releases_of

TEXT = """# Changelog

Words before.

## 1.1.0 (unreleased)

Before all groups.

### For <b>readers</b>

- Something <b>new</b>: docs/following.md, docs/operating.md.

## 1.0.1 (2026-12-01)

- A fix with `code`.

## 1.0.0 (2026-11-30)

- All of it.
"""


@pytest.fixture(autouse=True)
def our_releases(monkeypatch):
    monkeypatch.setattr(guide_views, "releases", lambda: tuple(releases_of(TEXT)))


def test_releases_are_read_in_their_order():
    assert [(each.version, each.released_at) for each in releases_of(TEXT)] == [
        ("1.1.0", None),
        ("1.0.1", datetime(2026, 12, 1, tzinfo=UTC)),
        ("1.0.0", datetime(2026, 11, 30, tzinfo=UTC)),
    ]


def test_the_page_shows_every_release_without_its_html_and_links_the_guide(browser):
    shown = browser.get("/changelog").text

    assert shown.count("Unreleased") == 1
    assert '<time datetime="2026-12-01">1 December 2026</time>' in shown
    assert '<h2 id="v1.0.1"><a class="anchor" href="#v1.0.1">' in shown
    assert "<h3>For &lt;b&gt;readers&lt;/b&gt;</h3>" in shown
    assert "Something &lt;b&gt;new&lt;/b&gt;:" in shown
    assert '<a href="/guide/following">docs/following.md</a>, docs/operating.md.' in shown


def test_the_feed_holds_what_is_out(browser):
    response = browser.get("/rss/changelog.xml")

    root = ElementTree.fromstring(response.data)
    assert response.mimetype == "application/rss+xml"
    assert [each.text for each in root.iter("title")][1:] == [
        "Changewire 1.0.1",
        "Changewire 1.0.0",
    ]
    assert root.find("channel/item/link").text == "https://changewire.example/changelog#v1.0.1"


def test_the_changelog_of_this_version_is_there():
    assert releases()[0].version
