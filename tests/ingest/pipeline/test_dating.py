"""Undated history gets dates: from its vendor, what stands around it, and its repository."""

from datetime import timedelta

import orjson
import pytest

from openapi.vocabulary import AdapterType
from storage.entries.entry_pages import page_documents
from storage.entries.entry_query import PUBLIC, EntryList
from storage.models import Entry, EntryRevision, FetchFacts

HOUR = timedelta(hours=1)


def feed(*items: tuple[str, str | None]) -> bytes:
    """Write a feed of titles, which are the ids as well, with the days of November or none."""
    written = "".join(
        f"<item><guid isPermaLink='false'>{title}</guid><title>{title}</title>"
        + ("" if day is None else f"<pubDate>{day} Nov 2026 09:00:00 GMT</pubDate>")
        + "</item>"
        for title, day in items
    )
    return f"<rss version='2.0'><channel><title>Acme</title>{written}</channel></rss>".encode()


def dated(entries) -> dict[str, tuple[bool, bool, str, str | None]]:
    """Return of each entry whether it is listed and announced, what dates it, and its day."""
    described = {}
    for entry in entries:
        source = orjson.loads(entry.document)["raw"]["date_source"]
        day = f"{entry.published_at:%Y-%m-%d}" if entry.listed else None
        described[entry.title] = (entry.listed, entry.announced, source, day)
    return described


def latest(database, now) -> list[str]:
    with database.read() as session:
        page = page_documents(session, EntryList(now, PUBLIC), limit=9, offset=0)
    return [orjson.loads(document)["title"] for document in page.documents]


def test_history_that_its_vendor_dates_later_is_listed_by_that_date_and_announced_to_nobody(
    site, add_source, check, rows, database, now
):
    source_id = add_source()
    site.reply("/feed", body=feed(("1.1", "20"), ("1.0", None)))
    check(source_id)
    site.reply("/feed", body=feed(("1.2", "21"), ("1.1", "20"), ("1.0", "3")))
    report = check(source_id, after=HOUR)

    assert (report.new, report.edited) == (1, 1)
    assert dated(rows(Entry)) == {
        "1.0": (True, False, "pubDate", "2026-11-03"),
        "1.1": (True, True, "pubDate", "2026-11-20"),
        "1.2": (True, True, "pubDate", "2026-11-21"),
    }
    assert latest(database, now) == ["1.2", "1.1", "1.0"]
    assert orjson.loads(rows(EntryRevision)[0].document)["raw"]["date_source"] == "undated"
    assert rows(FetchFacts)[0].entries_180d == 3


def test_history_between_two_dated_entries_is_dated_when_these_turn_up(
    site, add_source, check, rows
):
    source_id = add_source()
    site.reply("/feed", body=feed(("1.1", None), ("1.0", "3")))
    check(source_id)
    site.reply("/feed", body=feed(("1.2", "9"), ("1.1", None), ("1.0", "3")))
    check(source_id, after=HOUR)
    again = check(source_id, after=2 * HOUR)

    assert dated(rows(Entry))["1.1"] == (True, False, "neighbour", "2026-11-03")
    assert again.edited == 0


def test_news_without_a_date_stays_dated_by_the_moment_it_turned_up(site, add_source, check, rows):
    source_id = add_source()
    site.reply("/feed", body=feed(("1.0", "3")))
    check(source_id)
    site.reply("/feed", body=feed(("1.2", "20"), ("1.1", None), ("1.0", "3")))
    check(source_id, after=HOUR)
    site.reply("/feed", body=feed(("1.2", "20"), ("1.1", "19"), ("1.0", "3")))
    check(source_id, after=2 * HOUR)

    assert dated(rows(Entry))["1.1"] == (True, True, "first_seen", "2026-11-21")


REPOSITORY = "https://github.com/acme/mail"


def page(*versions: str) -> bytes:
    """Write a changelog without dates, the newest version first."""
    entries = "".join(f"<h2>{v}</h2><ul><li>Change number {v} of it</li></ul>" for v in versions)
    return f"<!doctype html><title>Changelog</title><h1>Changelog</h1>{entries}".encode()


def tags(*dated_tags: tuple[str, str]) -> bytes:
    """Write the feed of tags that GitHub serves; the days are of 2026."""
    entries = "".join(
        f"<entry><id>tag:github.com,2008:Repository/1/{tag}</id><title>{tag}</title>"
        f"<updated>2026-{day}T10:00:00Z</updated>"
        f"<link rel='alternate' href='{REPOSITORY}/releases/tag/{tag}'/></entry>"
        for tag, day in dated_tags
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>Tags</title>{entries}</feed>".encode()


def releases(*dated_tags: tuple[str, str]) -> bytes:
    return orjson.dumps(
        [
            {
                "id": number,
                "tag_name": tag,
                "html_url": f"{REPOSITORY}/releases/tag/{tag}",
                "published_at": f"2026-{day}T10:00:00Z",
            }
            for number, (tag, day) in enumerate(dated_tags)
        ]
    )


def asked(site) -> list[str]:
    """Return what was asked of GitHub."""
    return [seen.path for seen in site.seen if seen.path not in {"/log", "/robots.txt"}]


def test_releases_of_a_page_have_the_dates_of_their_tags(
    site, add_source, check, rows, database, now
):
    site.reply("/log", body=page("1.2.0", "1.1.0", "1.0.0"))
    site.reply("/acme/mail/tags.atom", body=tags(("v1.2", "11-20"), ("v1.1.0", "03-02")))
    check(add_source("/log", AdapterType.HTML, homepage=REPOSITORY))

    assert dated(rows(Entry)) == {
        "1.2.0": (True, True, "release", "2026-11-20"),
        "1.1.0": (True, False, "release", "2026-03-02"),
        "1.0.0": (False, False, "undated", None),
    }
    assert latest(database, now) == ["1.2.0", "1.1.0"]
    assert asked(site) == ["/acme/mail/tags.atom"]


def test_one_page_is_read_in_a_check_until_every_release_has_a_date(site, add_source, check, rows):
    site.reply("/log", body=page("1.2.0", "1.1.0", "1.0.0"), ETag='"1"')
    site.reply("/repos/acme/mail/releases", body=releases(("1.2.0", "11-20")))
    pages = {"": tags(("1.2.0", "11-20"), ("1.1.0", "11-19")), "1.1.0": tags(("1.0.0", "11-01"))}
    site.on(
        "/acme/mail/tags.atom",
        lambda seen: site.answer(200, pages[seen.path.partition("?after=")[2]]),
    )
    source_id = add_source("/log", AdapterType.HTML, homepage=REPOSITORY)
    reports = [check(source_id, after=n * 4 * HOUR, github_token="token") for n in range(5)]

    assert asked(site) == [
        "/repos/acme/mail/releases?per_page=100",
        "/acme/mail/tags.atom",
        "/acme/mail/tags.atom?after=1.1.0",
    ]
    assert [(report.new, report.edited) for report in reports[:3]] == [(3, 0), (0, 1), (0, 1)]
    assert {entry[2] for entry in dated(rows(Entry)).values()} == {"release"}
    assert rows(FetchFacts)[0].lookups is None


def test_pages_that_cannot_be_had_are_tried_again_with_growing_pauses_and_then_given_up(
    site, add_source, check, rows
):
    site.reply("/log", body=page("1.1.0", "1.0.0"))
    site.reply("/acme/mail/tags.atom", status=500)
    source_id = add_source("/log", AdapterType.HTML, homepage=REPOSITORY)
    times = []
    for hours in range(24 * 8):
        check(source_id, after=hours * HOUR)
        if len(asked(site)) > len(times):
            times.append(hours)

    assert times == [0, 1, 7, 31, 103]
    assert rows(FetchFacts)[0].lookups is None


@pytest.mark.parametrize("homepage", [None, "https://acme.example/", "https://github.com/acme"])
def test_where_no_repository_is_named_nothing_is_asked(site, add_source, check, rows, homepage):
    site.reply("/log", body=page("1.1.0", "1.0.0"))
    check(add_source("/log", AdapterType.HTML, homepage=homepage))

    assert asked(site) == []
    assert {entry[2] for entry in dated(rows(Entry)).values()} == {"undated"}
