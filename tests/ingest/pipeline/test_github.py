"""Releases of GitHub: its API with a token, the Atom feed while the API refuses, and files."""

import re
from datetime import timedelta

import orjson
import pytest
from sqlalchemy import update

from ingest.pipeline import request
from ingest.pipeline.file_notes import FILES
from ingest.pipeline.report import CheckStatus
from openapi.vocabulary import AdapterType
from storage.models import Entry, FetchFacts, Source

HOUR = timedelta(hours=1)
API, FEED = "/repos/acme/mail/releases", "/acme/mail/releases.atom"
FILE = b"# Changes\n\n## 2.0\n\n- Removed `send`.\n\n## 1.0 (2026-11-19)\n\n- Added [tags](/t).\n"
RELEASE = "https://github.com/acme/mail/releases/tag/v{}"


@pytest.fixture
def check(check, add_source, database, site, monkeypatch):
    """Check a repository some hours from now; the site is GitHub, its API and its feeds."""
    feed = re.compile(r"http://github\.example:\d+/(acme/mail)/releases\.atom")
    monkeypatch.setattr(request, "_RELEASES", feed)
    address, home = site.url(FEED, host="github.example"), "https://github.com/acme/mail"
    files = site.url("/files")

    def check_after(hours=0, *, token="secret-token", on_demand=False):
        source_id = add_source(FEED, AdapterType.GITHUB_RELEASES, feed=address, homepage=home)
        with database.write() as session:
            session.execute(update(Source).values(on_demand=on_demand))
        return check(source_id, after=hours * HOUR, github_token=token, github_files=files)

    return check_after


def releases(*numbers):
    return orjson.dumps(
        [
            {
                "id": number,
                "tag_name": f"v{number}",
                "html_url": RELEASE.format(number),
                "published_at": "2026-11-20T10:00:00Z",
                "body": "- fast",
            }
            for number in numbers
        ]
    )


def feed(*numbers, text="It is fast."):
    entries = "".join(
        f"<entry><id>tag:github.com,2008:Repository/1/v{number}</id><title>v{number}</title>"
        f"<updated>2026-11-20T10:00:00Z</updated><link href='{RELEASE.format(number)}'/>"
        f"<content type='html'>&lt;p&gt;{text}&lt;/p&gt;</content></entry>"
        for number in numbers
    )
    return f"<feed xmlns='http://www.w3.org/2005/Atom'><title>r</title>{entries}</feed>".encode()


def requests_for(site, path):
    return sum(seen.path.partition("?")[0] == path for seen in site.seen)


def test_the_first_check_of_a_repository_reads_its_history(site, check, rows):
    pages = {"1": range(250, 150, -1), "2": range(150, 50, -1), "3": range(50, 0, -1)}
    site.on(
        API,
        lambda seen: site.answer(200, releases(*pages[seen.path.partition("&page=")[2] or "1"])),
    )

    check()

    assert len(rows(Entry)) == 250
    assert len(site.seen) == 3
    assert site.seen[0].get("Authorization") == "Bearer secret-token"


def test_a_repository_without_releases_has_the_tags_of_its_feed(site, check, rows):
    site.reply(API, body=b"[]", etag='"empty"')
    site.reply(FEED, body=feed(1))
    check()
    site.reply(FEED, body=feed(2, 1))
    check(1)
    assert len(rows(Entry)) == 2


def test_while_the_quota_is_used_up_the_feed_is_read_and_the_api_left_alone(site, check, now):
    reset = str(int((now + HOUR).timestamp()))
    site.reply(API, status=403, x_ratelimit_remaining="0", x_ratelimit_reset=reset)
    site.reply(FEED, body=feed(1))
    statuses = [check(hours).status for hours in (0, 0.5, 2)]

    assert statuses[0] is CheckStatus.FETCHED
    assert (requests_for(site, API), requests_for(site, FEED)) == (2, 3)


def test_a_quota_used_up_by_a_clock_that_was_ahead_is_tried_when_that_is_put_back(site, check):
    site.reply(API, status=429, retry_after="3600")
    for hours in (24 * 365, 0, 0.5):
        check(hours)

    assert requests_for(site, API) == 2


def test_the_feed_adds_releases_and_edits_none(site, check, rows):
    site.reply(API, body=releases(1))
    check()
    site.reply(API, status=429, retry_after="3600")
    site.reply(FEED, body=feed(2, 1))

    report = check(1)

    assert (report.new, report.edited) == (1, 0)
    assert {entry.revision for entry in rows(Entry)} == {1}


def test_a_fault_of_the_api_is_a_failure_although_the_feed_can_be_read(site, check, rows):
    site.reply(API, status=500)
    site.reply(FEED, body=feed(1))

    assert check().status is CheckStatus.FAILED
    assert rows(FetchFacts)[0].last_failure == "server_error"
    assert requests_for(site, FEED) == 0


def summaries(rows):
    documents = [orjson.loads(entry.document) for entry in rows(Entry)]
    return sorted(document["summary"] for document in documents)


def requested_files(site):
    return [seen.path for seen in site.seen if seen.path.startswith("/files")]


def test_tags_on_demand_have_the_notes_of_the_file_at_the_newest(site, check, rows):
    site.reply(FEED, body=feed("2.0", "1.0"))
    site.reply("/files/acme/mail/v2.0/CHANGES.md", body=FILE)
    check(token=None, on_demand=True)
    site.reply(FEED, body=feed("3.0", "2.0", "1.0"))
    site.reply("/files/acme/mail/v3.0/CHANGELOG.md", body=b"## 3.0\n\n- Fixed search.\n\n" + FILE)

    again = check(1, token=None, on_demand=True)

    assert (again.new, again.edited) == (1, 0)
    assert summaries(rows) == ["- Added tags.", "- Fixed search.", "- Removed send."]
    assert requested_files(site) == [
        *(f"/files/acme/mail/v2.0/{name}" for name in FILES[:2]),
        f"/files/acme/mail/v3.0/{FILES[0]}",
    ]


@pytest.mark.parametrize(("text", "on_demand"), [("It is fast. " * 40, True), ("Fast.", False)])
def test_no_file_is_read_for_notes_of_their_own_or_the_catalog(site, check, text, on_demand):
    site.reply(FEED, body=feed("2.0", "1.0", text=text))
    check(token=None, on_demand=on_demand)
    assert requested_files(site) == []


@pytest.mark.parametrize("file", [b"", b"\0" * 3_000_000, b"<p>Sign in</p>", b"# 9.9\n\nx\n"])
def test_without_such_notes_tags_are_stored_as_they_are(site, check, rows, file):
    site.reply(FEED, body=feed("2.0", "1.0"))
    site.reply("/files/acme/mail/v2.0/CHANGELOG.md", body=file)
    assert check(token=None, on_demand=True).new == 2
    assert summaries(rows) == ["It is fast."] * 2
