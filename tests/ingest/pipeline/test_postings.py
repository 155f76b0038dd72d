"""Postings of teasers and linked release notes: fetched once, politely, and never to harm."""

from datetime import UTC, datetime, timedelta

import orjson
import pytest

from changelog_reader.adapters.base import ParsedEntry
from ingest.pipeline.postings import MOST_POSTINGS, posting_address
from ingest.pipeline.report import CheckStatus
from storage.models import Entry, EntryRevision, FetchFacts

HOUR = timedelta(hours=1)
PAGE = (
    "<!doctype html><title>{title} | Acme</title><nav>Home</nav><main><article>"
    "<h1>{title}</h1><p>November 20, 2026</p><p>{text}</p>"
    "<p><a href='/all'>Read more</a></p></article></main><footer>Terms</footer>"
)
TEASER = "We rebuilt the search of Acme Mail …"
TEXT = "We rebuilt the search of Acme Mail from scratch. The old search API is removed."


def teasers(*items: tuple[str, str, str]) -> bytes:
    """Write a feed of (address, title, description) items, the first the newest."""
    written = "".join(
        f"<item><guid isPermaLink='false'>{number}</guid><title>{title}</title>"
        f"<link>{address}</link><description>{text}</description>"
        f"<pubDate>Sat, 21 Nov 2026 0{9 - number}:00:00 GMT</pubDate></item>"
        for number, (address, title, text) in enumerate(items)
    )
    return f"<rss version='2.0'><channel><title>Acme</title>{written}</channel></rss>".encode()


def appcast(notes: str, *, description: str = "") -> bytes:
    return (
        "<rss version='2.0' xmlns:sparkle='http://www.andymatuschak.org/xml-namespaces/sparkle'>"
        "<channel><title>Acme</title><item><title>Version 2.1</title>"
        f"<sparkle:releaseNotesLink>{notes}</sparkle:releaseNotesLink>{description}"
        "<pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate>"
        "<enclosure url='https://acme.example/a.zip' length='1' type='application/octet-stream'/>"
        "</item></channel></rss>"
    ).encode()


def stored(rows) -> list[dict[str, object]]:
    return [orjson.loads(entry.document) for entry in rows(Entry)]


def requests_for(site, path: str) -> int:
    return sum(seen.path == path for seen in site.seen)


def test_a_teaser_gets_the_text_of_its_posting_once(site, check, rows):
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)))
    site.reply("/a", body=PAGE.format(title="New search", text=TEXT).encode())

    check()
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)) + b" ")
    again = check(after=HOUR)

    (entry,) = stored(rows)
    assert entry["summary"] == TEXT
    assert entry["raw"]["posting"] == site.url("/a")
    assert entry["raw"]["html"] == f"<p>{TEXT}</p>"
    assert (again.new, again.edited) == (0, 0)
    assert requests_for(site, "/a") == 1


def test_linked_release_notes_are_the_text_of_a_release(site, check, rows):
    notes = site.url("/notes/2.1.html")
    site.reply("/feed", body=appcast(notes))
    site.reply("/notes/2.1.html", body=b"<h2>What is new</h2><ul><li>Removed the old API</li></ul>")

    check()

    (entry,) = stored(rows)
    assert entry["summary"] == "## What is new\n\n- Removed the old API"
    assert entry["raw"]["release_notes"] == entry["raw"]["posting"] == notes


@pytest.mark.parametrize(
    ("status", "page"),
    [
        (404, b""),
        (200, b""),
        (200, b"<title>Just a moment...</title><p>Verify you are human. Ray ID 1</p>"),
        (200, b"<main><article><h1>New search</h1><p>Something else altogether here.</p>"),
        (200, PAGE.format(title="New search", text=TEXT).encode() + b" " * (3 * 1024 * 1024)),
    ],
)
def test_a_posting_that_cannot_be_had_leaves_the_teaser(site, check, rows, status, page):
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)))
    site.reply("/a", status, body=page)

    report = check()

    assert (report.status, report.new) == (CheckStatus.FETCHED, 1)
    assert [entry["summary"] for entry in stored(rows)] == [TEASER]
    assert "posting" not in stored(rows)[0]["raw"]


def test_a_posting_that_cannot_be_had_is_tried_again_until_it_is_there(site, check, rows):
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)), ETag='"1"')
    reports = [check(after=hours * HOUR) for hours in (0, 0.5)]
    site.reply("/a", body=PAGE.format(title="New search", text=TEXT).encode())
    reports += [check(after=hours * HOUR) for hours in (1, 2, 30)]

    assert [(report.new, report.edited) for report in reports] == [
        *((1, 0), (0, 0), (0, 1), (0, 0), (0, 0))
    ]
    assert requests_for(site, "/a") == 2
    assert [entry["summary"] for entry in stored(rows)] == [TEXT]
    assert rows(FetchFacts)[0].lookups is None


@pytest.mark.parametrize(
    "later",
    [
        pytest.param(("New search", f"{TEXT} And more."), id="the feed tells the whole"),
        pytest.param(None, id="the feed shows it no more"),
    ],
)
def test_what_is_no_teaser_any_more_is_not_looked_for(site, check, rows, later):
    other = (site.url("/b"), "Other news", "It is told.")
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER), other))
    check()
    shown = [] if later is None else [(site.url("/a"), *later)]
    site.reply("/feed", body=teasers(*shown, other))
    check(after=HOUR)

    assert requests_for(site, "/a") == 1
    assert rows(FetchFacts)[0].lookups is None
    assert later is None or f"{TEXT} And more." in [entry["summary"] for entry in stored(rows)]


def test_robots_txt_is_heeded_for_postings(site, check, rows):
    site.reply("/robots.txt", body=b"User-agent: *\nDisallow: /a\n")
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)))

    check()

    assert requests_for(site, "/a") == 0
    assert [entry["summary"] for entry in stored(rows)] == [TEASER]
    assert rows(FetchFacts)[0].lookups is None


def test_a_check_fetches_few_postings_the_newest_first(site, check, rows):
    items = [(site.url(f"/{n}"), f"News {n}", f"About {n} …") for n in range(9)]
    site.reply("/feed", body=teasers(*items))

    check()

    pages = [seen.path for seen in site.seen if seen.path[1:].isdigit()]
    assert pages == [f"/{n}" for n in range(MOST_POSTINGS)]


def test_a_posting_dates_an_entry_that_nothing_else_dates(site, check, rows):
    undated = teasers((site.url("/a"), "New search", TEASER)).replace(b"pubDate", b"x")
    site.reply("/feed", body=undated)
    site.reply("/a", body=PAGE.format(title="New search", text=TEXT).encode())

    check()

    (entry,) = stored(rows)
    assert (entry["published_at"], entry["raw"]["date_source"]) == (
        "2026-11-20T00:00:00Z",
        "posting",
    )


def test_an_edited_teaser_keeps_the_text_of_the_posting(site, check, rows):
    site.reply("/a", body=PAGE.format(title="New search", text=TEXT).encode())
    site.reply("/feed", body=teasers((site.url("/a"), "New search", TEASER)))
    check()

    site.reply("/feed", body=teasers((site.url("/a"), "New search", "We rebuilt a lot …")))
    reworded = check(after=HOUR)
    site.reply("/feed", body=teasers((site.url("/a"), "A new search", "We rebuilt a lot …")))
    edited = check(after=2 * HOUR)

    assert (reworded.edited, edited.edited) == (0, 1)
    assert [entry["title"] for entry in stored(rows)] == ["A new search"]
    assert [entry["summary"] for entry in stored(rows)] == [TEXT]
    assert len(rows(EntryRevision)) == requests_for(site, "/a") == 1


def entry_with(summary: str | None, url: str | None, **raw: str) -> ParsedEntry:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    return ParsedEntry("1", "News", url, at, "pubDate", summary, raw=raw)


@pytest.mark.parametrize(
    ("summary", "url", "is_teaser"),
    [
        ("We rebuilt the search …", "https://www.acme.example/news/1", True),
        ("We rebuilt the search. Read more →", "https://acme.example/1", True),
        ("我们重建了搜索。阅读更多", "https://acme.example/1", True),
        ("We rebuilt the search.", "https://acme.example/1", False),
        ("See what you can read more often.", "https://acme.example/1", False),
        ("Long. " * 200 + "…", "https://acme.example/1", False),
        (None, "https://acme.example/1", False),
        ("We rebuilt the search …", None, False),
        ("We rebuilt the search …", "https://acme.example/1.pdf", False),
        ("We rebuilt the search …", "https://other.example/1", False),
    ],
)
def test_a_short_text_that_ends_in_a_mark_has_its_posting_on_the_same_site(summary, url, is_teaser):
    found = posting_address(entry_with(summary, url), "https://blog.acme.example/feed")

    assert found == (url if is_teaser else None)


def test_addresses_of_one_suffix_are_not_one_site():
    entry = entry_with("Cut …", "https://acme.co.uk/1")
    assert posting_address(entry, "https://other.co.uk/feed") is None


def test_release_notes_are_taken_where_the_feed_has_no_text_of_its_own():
    notes = "https://cdn.example/notes/2.1.html"
    feed = "https://acme.example/appcast.xml"

    assert posting_address(entry_with(None, None, release_notes=notes), feed) == notes
    assert posting_address(entry_with("Word " * 60, None, release_notes=notes), feed) is None
