"""Feeds of all sources by their state: an unchanged one is a 304, and nobody gets an old one."""

from datetime import timedelta
from unittest.mock import patch

import pytest
from sqlalchemy import delete, update

from handlers.site.feeds.feed_views import FORMATS
from handlers.site.feeds.formats import UPDATES
from handlers.site.feeds.rss import RSS
from storage.models import Entry, Source

WRITES = {
    "a new entry": lambda show: show("new", categories=["breaking"]),
    "an edit": lambda show: show("first", "Otherwise.", hours=2, categories=["breaking"]),
    "an edit that says the same later": lambda show: show(
        "first", hours=2, categories=["breaking"], seen=timedelta(minutes=5)
    ),
}
STATEMENTS = {
    "another name": update(Source).values(name="Other"),
    "another page": update(Source).values(changelog_url="https://acme.example/other"),
    "other reasons": update(Entry).values(importance=b'{"categories":["security"],"evidence":[]}'),
    "no entry": delete(Entry),
}


@pytest.fixture
def feed(site):
    """Ask the pages: ``feed(path)`` gives the ETag and the body."""

    def feed(path):
        response = site.get(path)
        return response.headers["ETag"], response.data, response.headers.get("Last-Modified")

    return feed


@pytest.mark.parametrize("path", FORMATS)
def test_an_unchanged_feed_is_a_304_that_is_not_written(site, pages_with, feed, show, path):
    show("first", hours=2, categories=["breaking"])
    tag, *_ = feed(path)
    fresh = pages_with().client

    with patch("handlers.site.feeds.feed_views.newest_feed_entries", None):
        response = fresh.get(path, headers={"If-None-Match": tag})

    assert (response.status_code, response.data, response.headers["ETag"]) == (304, b"", tag)
    assert response.headers["Cache-Control"] == "public, max-age=60"
    assert not {"Content-Type", "Content-Length"} & set(response.headers.keys())
    whole, other = site.get(path), site.get(path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.data) == (200, whole.data)


def test_part_of_a_feed_and_its_head_are_what_http_says(site, feed, show):
    show("first")
    _, body, changed_at = feed("/rss/updates.xml")

    head = site.head("/rss/updates.xml")
    since = site.get("/rss/updates.xml", headers={"If-Modified-Since": changed_at})

    assert (head.status_code, head.data) == (200, b"")
    assert head.headers["Content-Length"] == str(len(body))
    assert since.status_code == 304


@pytest.mark.parametrize("what", [*WRITES, *STATEMENTS, "time that shows what was ahead"])
@pytest.mark.parametrize("path", FORMATS)
def test_what_changes_a_feed_changes_its_etag(site, feed, show, database, clock, path, what):
    show("first", hours=2, categories=["breaking"])
    show("ahead", hours=-3, categories=["breaking"])
    before = feed(path)
    if what in WRITES:
        WRITES[what](show)
    elif what in STATEMENTS:
        with database.write() as session:
            session.execute(STATEMENTS[what])
    else:
        clock.forward(hours=3)

    after = feed(path)

    assert (before[0] == after[0]) <= (before[1:] == after[1:])
    assert site.get(path, headers={"If-None-Match": before[0]}).status_code == (
        304 if before[0] == after[0] else 200
    )


def test_a_feed_is_written_once_for_as_long_as_it_says_the_same(feed, show, monkeypatch):
    show("first")
    first = feed("/rss/updates.xml")
    monkeypatch.setitem(FORMATS, "/rss/updates.xml", (UPDATES, RSS, None))
    monkeypatch.setattr("handlers.site.feeds.feed_views.newest_feed_entries", None)

    assert feed("/rss/updates.xml") == first
