"""changewire catalog check --live: the real command, a real server, what it writes."""

import json

import pytest
from filling import catalog_row
from sqlalchemy import select

from ingest.catalog import as_csv
from openapi.vocabulary import AdapterType, AddressStatus, Tier
from storage.engine.database import open_database
from storage.models import FetchFacts, Source

pytestmark = pytest.mark.slow

FEED = (
    b"<rss version='2.0'><channel><title>Acme</title><item><guid>1</guid><title>Faster</title>"
    b"<link>https://acme.example/1</link><pubDate>Fri, 20 Nov 2026 09:00:00 GMT</pubDate>"
    b"</item></channel></rss>"
)
PAGE = b"<html><title>Log</title><main>" + b"".join(
    b"<h2>Version 1.%d (2026-10-0%d)</h2><p>Adds feature %d to everything you know.</p>"
    % (number, number, number)
    for number in range(9, 0, -1)
)


@pytest.fixture
def load(run, vendors, tmp_path):
    """Load sources: ``load(feed="/feed")`` is ``acme.feed``, read from that path."""

    def load(*, tier=Tier.PRODUCT, page=None, **paths):
        rows = [
            catalog_row(
                f"acme.{name}",
                changelog_url=vendors.url(page or "/log", number),
                adapter_type=AdapterType.HTML if page == path else AdapterType.RSS,
                feed_url=None if page == path else vendors.url(path, number),
                tags=("api",),
                tier=tier,
            )
            for number, (name, path) in enumerate(paths.items(), 2)
        ]
        file = tmp_path / "catalog.csv"
        file.write_text(as_csv(rows))
        assert run("catalog", "load", str(file))[0] == 0

    return load


@pytest.fixture
def stored(database_url):
    """Return what is stored of a source's address: status, from and to, feed, page."""

    def stored(slug):
        database = open_database(database_url)
        with database.read() as session:
            query = select(FetchFacts, Source).join(Source, Source.id == FetchFacts.source_id)
            facts, source = session.execute(query.where(Source.slug == slug)).one()
        database.close()
        return facts, source

    return stored


def checked(run, *arguments):
    status, out, err = run("catalog", "check", "--live", "--json", *arguments)
    assert status == 0, err
    found = json.loads(out)
    return found, {source["slug"]: source["found"] for source in found["sources"]}


def test_each_address_is_asked_and_what_was_found_is_written(run, load, vendors, stored):
    vendors.pages |= {
        "/feed": FEED,
        "/log": PAGE,
        "/old": vendors.url("/feed", 9),
        "/closed": 410,
        "/broken": 500,
        "/html": b"<html><p>Please enable JavaScript</p></html>",
    }
    load(good="/feed", moved="/old", closed="/closed", broken="/broken", html="/html", lost="/x")

    found, by_slug = checked(run)

    assert by_slug == {
        "acme.good": "confirmed",
        "acme.moved": "moved",
        "acme.closed": "gone",
        "acme.lost": "gone",
        "acme.broken": "unconfirmed",
        "acme.html": "unconfirmed",
    }
    assert (found["asked"], found["left"]) == (6, 2)
    facts, _ = stored("acme.moved")
    assert facts.address_status is AddressStatus.MOVED
    assert (facts.moved_from, facts.moved_to) == (vendors.url("/old", 3), vendors.url("/feed", 9))
    assert facts.address_checked_at is not None
    assert facts.feed_url == vendors.url("/old", 3)


def test_a_moved_address_is_taken_over_when_that_is_wanted(run, load, vendors, stored):
    vendors.pages |= {"/feed": FEED, "/log": PAGE, "/old": vendors.url("/feed", 9)}
    load(moved="/old")

    assert checked(run, "--mend")[1] == {"acme.moved": "mended"}

    facts, _ = stored("acme.moved")
    assert facts.feed_url == vendors.url("/feed", 9)
    assert (facts.address_status, facts.moved_to) == (AddressStatus.CONFIRMED, None)
    assert facts.host == "127.0.0.9"


def test_an_address_that_another_source_has_is_not_taken_over(run, load, vendors, stored):
    vendors.pages |= {"/feed": FEED, "/log": PAGE, "/old": vendors.url("/feed", 2)}
    load(first="/feed", second="/old")

    assert checked(run, "--mend")[1]["acme.second"] == "moved"
    assert stored("acme.second")[0].feed_url == vendors.url("/old", 3)


def test_robots_txt_is_heeded_for_pages(run, load, vendors):
    vendors.pages |= {"/log": PAGE, "/robots.txt": b"User-agent: *\nDisallow: /log\n"}
    load(page="/log", log="/log")

    assert checked(run)[1] == {"acme.log": "unconfirmed"}
    assert "/log" not in vendors.asked


def test_only_named_sources_or_those_of_a_tier_are_asked_and_once_unless_all_are(
    run, load, vendors
):
    vendors.pages |= {"/feed": FEED, "/log": PAGE}
    load(one="/feed", two="/feed")

    assert checked(run, "--tier", "blog")[1] == {}
    assert set(checked(run, "--source", "acme.two")[1]) == {"acme.two"}
    assert [checked(run, *all_)[0]["asked"] for all_ in ([], [], ["--all"])] == [1, 0, 2]


def test_a_new_address_is_unconfirmed_again(run, load, vendors, stored):
    vendors.pages["/feed"] = FEED
    load(good="/feed")
    checked(run)

    load(good="/other")

    assert stored("acme.good")[0].address_status is AddressStatus.UNCONFIRMED
