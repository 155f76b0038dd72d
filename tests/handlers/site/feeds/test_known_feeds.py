"""Feeds of all sources by their state: who has one as it is gets a 304, nobody an old one."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, update
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from handlers.site.app import create_site
from handlers.site.feeds.feed_responses import CHANNELS, KnownFeeds
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
def moving(services, clock):
    """The services, with a clock that goes."""
    return replace(services, now=clock)


@pytest.fixture
def known(moving):
    """Ask in front of the pages, which say only that it was passed on to them."""
    front = KnownFeeds(PlainTextResponse("passed on"), moving)
    return TestClient(front, base_url="http://127.0.0.1:8080")


@pytest.fixture
def feed(moving):
    """Ask the pages: ``feed(path)`` gives the ETag and the body."""
    site = create_site(moving, secret_key="secret").test_client()

    def feed(path):
        answer = site.get(path)
        return answer.headers["ETag"], answer.data, answer.headers.get("Last-Modified")

    return feed


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("path", CHANNELS)
def test_who_has_a_feed_as_it_is_gets_a_304(known, feed, show, path):
    show("first", hours=2, categories=["breaking"])
    assert known.get(path).text == "passed on"
    tag, *_ = feed(path)

    answer = known.get(path, headers={"If-None-Match": tag})

    assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", tag)
    assert answer.headers["Cache-Control"] == "public, max-age=60"
    assert known.post(path, headers={"If-None-Match": tag}).text == "passed on"


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize("path", CHANNELS)
def test_a_feed_that_is_written_is_sent_as_the_pages_send_it(known, moving, show, path):
    show("first", hours=2, categories=["breaking"])
    pages = create_site(moving, secret_key="secret").test_client()
    written = pages.get(path)

    answer = known.get(path)
    other = known.get(path, headers={"If-None-Match": '"other"'})

    assert answer.content == other.content == written.data
    assert {name.lower(): text for name, text in answer.headers.items()} == {
        name.lower(): text
        for name, text in written.headers.items()
        if name != "Date"  # the server's
    }


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    "headers",
    [{"Range": "bytes=0-9"}, {"If-Modified-Since": "Sat, 21 Nov 2026 12:00:00 GMT"}],
    ids=str,
)
def test_what_only_the_pages_know_how_to_answer_is_passed_on(known, feed, show, headers):
    show("first")
    feed("/rss/updates.xml")

    assert known.get("/rss/updates.xml", headers=headers).text == "passed on"
    assert known.head("/rss/updates.xml").headers["Content-Type"].startswith("text/plain")


@pytest.mark.only_on("sqlite")
def test_a_feed_that_is_not_as_it_was_is_written_anew(known, feed, show):
    show("first")
    feed("/rss/updates.xml")
    show("second")

    assert known.get("/rss/updates.xml").text == "passed on"


@pytest.mark.parametrize("what", [*WRITES, *STATEMENTS, "time that shows what was ahead"])
@pytest.mark.parametrize("path", CHANNELS)
def test_what_changes_a_feed_changes_its_etag(known, feed, show, database, clock, path, what):
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
    assert known.get(path, headers={"If-None-Match": before[0]}).status_code == (
        304 if before[0] == after[0] and database.engine.dialect.name == "sqlite" else 200
    )


def test_a_feed_is_written_once_for_as_long_as_it_says_the_same(feed, show, monkeypatch):
    show("first")
    first = feed("/rss/updates.xml")
    monkeypatch.setattr("handlers.site.feeds.rss.rss_of", None)
    monkeypatch.setattr("handlers.site.feeds.rss.newest_for_readers", None)

    assert feed("/rss/updates.xml") == first
