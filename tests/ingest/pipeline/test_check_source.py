"""One source from its address to the rows, against a real server and a real database."""

import hashlib
from datetime import timedelta

import orjson
import pytest
from specimen.checks import check_now
from sqlalchemy import update

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckStatus
from ingest.sandbox.parser_pool import ParserPool
from openapi.vocabulary import AdapterType
from storage.models import Diff, Entry, EntryRevision, FetchFacts, Snapshot, Source

HOUR = timedelta(hours=1)


def rss(*items: tuple[str, str], extra: str = "") -> bytes:
    """Write a feed of (guid, title) items, the first the newest."""
    written = "".join(
        f"<item><guid isPermaLink='false'>{guid}</guid><title>{title}</title>"
        f"<link>https://acme.example/{guid}</link><description>About {title}.</description>"
        f"<pubDate>Sat, 21 Nov 2026 0{9 - number}:00:00 GMT</pubDate></item>"
        for number, (guid, title) in enumerate(items)
    )
    return (
        f"<rss version='2.0'><channel><title>Acme</title>{extra}{written}</channel></rss>".encode()
    )


def test_entries_are_stored_with_what_they_inherit(site, add_source, check, rows):
    site.reply("/feed", body=rss(("2", "Second"), ("1", "First")))

    report = check(add_source())

    assert (report.status, report.new, report.edited) == (CheckStatus.FETCHED, 2, 0)
    (stored,) = (orjson.loads(entry.document) for entry in rows(Entry) if entry.external_id == "2")
    assert stored | {"raw": None} == {
        "id": "2",
        "source": "acme.mail",
        "vendor": "acme",
        "published_at": "2026-11-21T09:00:00Z",
        "title": "Second",
        "version": None,
        "prerelease": None,
        "url": "https://acme.example/2",
        "summary": "About Second.",
        "raw": None,
        "tags": ["email"],
    }
    assert stored["raw"]["date_source"] == "pubDate"
    assert rows(Source)[0].entry_count == 2


def test_an_unchanged_document_is_requested_conditionally_and_not_parsed_again(
    site, add_source, check, rows
):
    body = rss(("1", "First"))
    tag = f'"{hashlib.md5(body).hexdigest()}"'
    site.on(
        "/feed",
        lambda seen: (
            site.answer(304, ETag=tag)
            if seen.get("If-None-Match") == tag
            else site.answer(200, body, ETag=tag)
        ),
    )
    source_id = add_source()

    statuses = [check(source_id, after=number * HOUR).status for number in range(3)]

    assert statuses == [CheckStatus.FETCHED, CheckStatus.UNCHANGED, CheckStatus.UNCHANGED]
    assert [seen.get("If-None-Match") for seen in site.seen] == [None, tag, tag]
    assert len(rows(Entry)) == len(rows(Snapshot)) == 1


def test_a_newer_parser_reads_the_same_document_again(site, add_source, check, database):
    site.reply("/feed", body=rss(("1", "First")), ETag='"1"')
    source_id = add_source()
    check(source_id)
    with database.write() as session:
        session.execute(update(FetchFacts).values(parser_version="0"))

    assert check(source_id, after=HOUR).status is CheckStatus.FETCHED
    assert [seen.get("If-None-Match") for seen in site.seen] == [None, None]


def test_the_same_bytes_without_validators_are_unchanged(site, add_source, check):
    site.reply("/feed", body=rss(("1", "First")))
    source_id = add_source()

    assert check(source_id).status is CheckStatus.FETCHED
    assert check(source_id, after=HOUR).status is CheckStatus.UNCHANGED


def test_an_edit_keeps_the_entry_and_makes_a_revision_and_a_diff(site, add_source, check, rows):
    source_id = add_source()
    site.reply("/feed", body=rss(("1", "Before")))
    check(source_id)
    site.reply("/feed", body=rss(("1", "After")))

    report = check(source_id, after=HOUR)

    assert (report.new, report.edited) == (0, 1)
    (entry,) = rows(Entry)
    assert (entry.external_id, entry.title, entry.revision) == ("1", "After", 2)
    assert orjson.loads(rows(EntryRevision)[0].document)["title"] == "Before"
    (change,) = orjson.loads(rows(Diff)[0].document)["changes"]
    assert (change["op"], change["entryId"]) == ("changed", "1")


def test_a_change_around_the_entries_is_neither_an_edit_nor_a_diff(site, add_source, check, rows):
    source_id = add_source()
    for number in range(3):
        site.reply(
            "/feed", body=rss(("1", "Same"), extra=f"<lastBuildDate>{number}</lastBuildDate>")
        )
        check(source_id, after=number * HOUR)

    assert rows(Entry)[0].revision == 1
    assert (len(rows(Snapshot)), rows(Diff)) == (1, [])


def told(text: str, link: str = "https://acme.example/1") -> bytes:
    """Write a feed of one item."""
    return (
        "<rss version='2.0'><channel><item><guid isPermaLink='false'>1</guid><title>One</title>"
        f"<link>{link}</link><description><![CDATA[{text}]]></description>"
        "<pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate></item></channel></rss>"
    ).encode()


LINK = "See https://acme.example/more?id={}&amp;utm_source={} for more."


@pytest.mark.parametrize(
    ("before", "after", "edited"),
    [
        (told("It is faster. 3 minutes ago"), told("It is faster. 2 hours ago"), 0),
        (told(LINK.format(7, "a")), told(LINK.format(7, "b")), 0),
        (told("<p>It is</p><p>faster.</p>"), told("<ul><p>It is</p></ul><div>faster.</div>"), 0),
        (told("Support ends in 3 days"), told("Support ends in 2 days"), 1),
        (told("Faster", "https://a.example/1?id=7"), told("Faster", "https://a.example/1?id=8"), 1),
        (told("言" * 30_000 + "end"), told("言" * 30_000 + "stop"), 1),
    ],
    ids=["clock", "tracked link", "markup", "text", "query of the link", "end of a long text"],
)
def test_what_the_vendor_rewrote_is_an_edit_and_volatile_text_is_none(
    site, add_source, check, rows, before, after, edited
):
    source_id = add_source()
    site.reply("/feed", body=before)
    check(source_id)
    (first,) = (entry.document for entry in rows(Entry))
    site.reply("/feed", body=after)

    reports = [check(source_id, after=number * HOUR) for number in (1, 2)]

    assert [report.edited for report in reports] == [edited, 0]
    (entry,) = rows(Entry)
    assert (entry.revision, entry.document == first) == (1 + edited, not edited)
    assert len(rows(EntryRevision)) == edited
    assert edited or rows(Diff) == []


@pytest.mark.parametrize(
    ("status", "body", "failure"),
    [
        (200, b"<html><body>Welcome</body></html>", "not_a_feed"),
        (404, b"", "not_found"),
        (200, rss(), "empty"),
    ],
)
def test_a_failure_is_remembered_and_nothing_is_lost(
    site, add_source, check, rows, status, body, failure
):
    source_id = add_source()
    site.reply("/feed", body=rss(("1", "First")))
    check(source_id)
    site.reply("/feed", status=status, body=body)

    report = check(source_id, after=HOUR)

    assert report.status is CheckStatus.FAILED
    (facts,) = rows(FetchFacts)
    assert (facts.last_failure, facts.failures) == (failure, 1)
    assert facts.last_message
    assert len(rows(Entry)) == 1


def test_a_check_sets_the_next_one(site, add_source, check, rows, now):
    site.reply("/feed", body=rss(("1", "First")), etag='"1"')

    check(add_source())

    (facts,) = rows(FetchFacts)
    assert now + facts.interval <= facts.next_check_at <= now + 1.1 * facts.interval
    assert facts.entries_180d == 1


def test_a_check_counts_only_if_none_was_stored_since_it_began(
    site, add_source, check, rows, database
):
    source_id = add_source()

    def answer_late(seen):
        site.reply("/feed", body=rss(("2", "Second")))
        assert check(source_id).new == 1
        return site.answer(200, rss(("1", "First")))

    site.on("/feed", answer_late)
    late = check(source_id)

    assert (late.status, late.new) == (CheckStatus.FAILED, 0)
    assert [entry.title for entry in rows(Entry)] == ["Second"]


def test_nothing_stored_holds_the_feed_address(site, add_source, check, rows):
    site.reply("/feed", body=rss(("1", "First"), extra=f"<link>{site.url('/feed')}</link>"))
    check(add_source())

    (entry,) = rows(Entry)
    assert site.url("/feed").encode() not in entry.document + entry.public_document


def test_a_page_that_robots_may_not_read_is_not_requested(site, add_source, check, rows):
    site.reply("/robots.txt", body=b"User-agent: *\nDisallow: /log\n")
    site.reply("/log", body=b"<html><h2>1.0 (2026-01-01)</h2></html>")

    report = check(add_source("/log", AdapterType.HTML))

    assert report.status is CheckStatus.FAILED
    assert [seen.path for seen in site.seen] == ["/robots.txt"]
    assert rows(FetchFacts)[0].last_failure == "disallowed"


def test_a_source_that_kept_its_parser_busy_is_parsed_beside_the_others_until_it_works(
    site, add_source, rows, database, make_client, now
):
    asked = []

    class Watched(ParserPool):
        def run(self, function, *arguments, is_suspect=False):
            asked.append((function.__name__, is_suspect))
            return super().run(function, *arguments, is_suspect=is_suspect)

    source_id = add_source()
    with database.write() as session:
        session.execute(update(FetchFacts).values(last_failure="parse_timeout", failures=1))
    with Watched(workers=1) as parsers:
        ingestion = Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: now)
        for number in (1, 2):
            site.reply("/feed", body=rss((str(number), "One")))
            assert check_now(ingestion, source_id).status is CheckStatus.FETCHED

    assert [suspect for name, suspect in asked if name == "read_feed"] == [True, False]


def undated(*titles: str) -> bytes:
    """Write a feed of items without dates."""
    items = "".join(
        f"<item><guid isPermaLink='false'>{title}</guid><title>{title}</title></item>"
        for title in titles
    )
    return f"<rss version='2.0'><channel><title>Acme</title>{items}</channel></rss>".encode()


def marks(entries) -> dict[str, tuple[bool, bool, str]]:
    """Return whether entries are listed and announced, and what their dates come from."""
    return {
        entry.external_id: (
            entry.listed,
            entry.announced,
            orjson.loads(entry.document)["raw"]["date_source"],
        )
        for entry in entries
    }


def test_undated_history_is_stored_and_in_no_public_list(site, add_source, check, rows):
    source_id = add_source()
    site.reply("/feed", body=undated("1.1", "1.0"))
    check(source_id)
    site.reply("/feed", body=undated("1.2", "1.1", "1.0"))
    check(source_id, after=HOUR)

    assert marks(rows(Entry)) == {
        "1.0": (False, False, "undated"),
        "1.1": (False, False, "undated"),
        "1.2": (True, True, "first_seen"),
    }


def test_an_edit_of_undated_history_leaves_it_undated(site, add_source, check, rows):
    source_id = add_source()
    site.reply("/feed", body=undated("1.0"))
    check(source_id)
    site.reply("/feed", body=undated("1.0").replace(b"<title>1.0", b"<title>Version 1.0"))
    assert check(source_id, after=HOUR).edited == 1

    assert marks(rows(Entry)) == {"1.0": (False, False, "undated")}


def test_a_diff_has_the_texts_of_the_entries(site, add_source, check, rows):
    source_id = add_source()
    body = rss(("1", "Before")).replace(b"About Before.", b"&lt;p>One.&lt;/p>&lt;p>Two.&lt;/p>")
    site.reply("/feed", body=body)
    check(source_id)
    site.reply("/feed", body=body.replace(b"Two.", b"Two, edited 3 minutes ago."))
    check(source_id, after=HOUR)

    (change,) = orjson.loads(rows(Diff)[0].document)["changes"]
    earlier = orjson.loads(rows(EntryRevision)[0].document)
    now = orjson.loads(rows(Entry)[0].document)
    assert change["before"]["summary"] == earlier["summary"] == "One.\n\nTwo."
    assert change["after"]["summary"] == now["summary"]
    assert [field["path"] for field in change["fields"]] == ["summary"]


def test_a_feed_that_moved_for_good_is_one_of_its_new_host(site, add_source, check, rows):
    moved = site.url("/moved", host="acme.example")
    site.reply("/feed", 301, location=moved)
    site.reply("/moved", body=rss(("1", "First")))
    source_id = add_source()

    check(source_id)
    check(source_id, after=HOUR)

    (facts,) = rows(FetchFacts)
    assert (facts.feed_url, facts.host) == (moved, "acme.example")
