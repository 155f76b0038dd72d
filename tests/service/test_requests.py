"""From a wish for a source to a source with entries, with the real commands and a real server."""

import json
from datetime import UTC, datetime

import pytest

from storage.catalog.requests import add_request
from storage.engine.database import open_database

pytestmark = pytest.mark.slow

FEED = (
    b"<rss version='2.0'><channel><title>Acme Mail</title><item><guid>1</guid>"
    b"<title>Faster search</title><link>https://acme.example/1</link>"
    b"<pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate></item></channel></rss>"
)
PAGE = b"<html><head><link rel=alternate type=application/rss+xml href=/mail.rss></head></html>"
LOG = b"<html><title>Log</title><main>" + b"".join(
    b"<h2>Version 1.%d (2026-10-0%d)</h2><p>Adds feature %d to everything you know.</p>"
    % (number, number, number)
    for number in range(9, 0, -1)
)


@pytest.fixture
def wish(database_url, run):
    """Store a request for an address; returns its id."""

    def wish(url):
        database = open_database(database_url)
        with database.write() as session:
            id_ = add_request(session, url=url, note="please", now=datetime.now(UTC)).id
        database.close()
        return id_

    return wish


def shown(run, *arguments):
    status, out, err = run(*arguments, "--json")
    assert status == 0, err
    return json.loads(out)


def accept(run, id_, *more, slug="acme.mail"):
    return run(
        "requests", "accept", id_, "--slug", slug, "--name", "Acme Mail", "--tag", "email", *more
    )


def test_a_wish_becomes_a_source_with_entries(run, wish, vendors):
    vendors.pages |= {"/changes": PAGE, "/mail.rss": FEED}
    id_ = wish(vendors.url("/changes"))

    checked = shown(run, "requests", "check", id_)
    status, _, err = accept(run, id_, "--ingest")

    assert checked["status"] == "needs_review"
    assert [(offer["adapter_type"], offer["address"]) for offer in checked["offers"]] == [
        ("rss", vendors.url("/mail.rss"))
    ]
    assert status == 0, err
    assert "1 new" in err
    (listed,) = shown(run, "requests", "list")
    assert (listed["status"], listed["slug"]) == ("accepted", "acme.mail")
    assert [(step["from"], step["to"]) for step in listed["steps"]] == [
        ("pending", "checking"),
        ("checking", "needs_review"),
        ("needs_review", "accepted"),
    ]
    assert shown(run, "source", "show", "acme.mail")["entries"] == 1


def test_a_named_source_that_cannot_be_read_fails_the_command(run, wish, vendors):
    vendors.pages |= {"/changes": PAGE, "/mail.rss": FEED}
    id_ = wish(vendors.url("/changes"))
    shown(run, "requests", "check", id_)
    accept(run, id_)

    read, _, _ = run("ingest", "acme.mail")
    del vendors.pages["/mail.rss"]
    missing, out, err = run("ingest", "acme.mail", "--json")
    among_all, _, _ = run("ingest", "--all")

    assert (read, missing, among_all) == (0, 1, 0)
    assert json.loads(out)["failed"] == 1
    assert "1 source could not be read" in err


def test_what_was_decided_stays_decided(run, wish, vendors):
    id_ = wish(vendors.url("/changes"))
    assert run("requests", "reject", id_, "--reason", "not a changelog")[0] == 0

    for command in (("check", id_), ("reject", id_, "--reason", "again")):
        status, _, err = run("requests", *command)
        assert (status, "is rejected; it cannot become" in err) == (1, True)
    assert accept(run, id_)[0] == 1
    (listed,) = shown(run, "requests", "list", "--status", "rejected")
    assert listed["reason"] == "not a changelog"


def test_a_source_that_is_there_already_is_a_duplicate(run, wish, vendors):
    vendors.pages |= {"/changes": PAGE, "/mail.rss": FEED}
    first = wish(vendors.url("/changes"))
    shown(run, "requests", "check", first)
    accept(run, first)
    second = wish(vendors.url("/mail.rss"))

    checked = shown(run, "requests", "check", second)

    assert (checked["status"], checked["slug"]) == ("duplicate", "acme.mail")


def test_a_probe_reads_no_page_that_robots_may_not_read(run, vendors):
    vendors.pages |= {"/robots.txt": b"User-agent: *\nDisallow: /log\n", "/log": LOG}

    status, _, err = run("source", "probe", vendors.url("/log"))

    assert status == 1
    assert "robots.txt" in err
    assert "/log" not in vendors.asked


def test_a_probe_shows_what_an_entry_is_read_from(run, vendors):
    vendors.pages |= {"/log": LOG}

    (offer,) = shown(run, "source", "probe", vendors.url("/log"))["offers"]

    assert offer["samples"][0] == {
        "title": "Version 1.9 (2026-10-09)",
        "published_at": "2026-10-09T00:00:00Z",
        "date_source": "heading",
        "url": None,
        "text": "Adds feature 9 to everything you know.",
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<rss version='2.0'><channel></channel></rss>", "The document has no entries."),
        (b"<channel><item<link</item</link<", "broken beyond reading"),
        (b"<html><p>Welcome to Acme</p></html>", "The document has no entries."),
        (b"", "The response is empty."),
        (b'{"message": "no"}', "it has no list of items"),
    ],
)
def test_a_probe_says_why_nothing_is_found(run, vendors, body, reason):
    vendors.pages |= {"/log": body}

    status, _, err = run("source", "probe", vendors.url("/log"))

    assert (status, reason in err) == (1, True)
