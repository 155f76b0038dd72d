"""Undated history gets dates later: from its vendor, and from what stands around it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from specimen.checks import check_now
from sqlalchemy import select

from ingest.catalog import CatalogRow
from ingest.pipeline.ingestion import Ingestion
from openapi.vocabulary import AdapterType, Kind
from storage.catalog.sources import save_sources
from storage.entries.entry_pages import page_latest
from storage.models import Entry, EntryRevision, FetchFacts, Source

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


@pytest.fixture
def add_source(database, site) -> Callable[..., int]:
    """Add a source that is fetched from a path of the site; returns its id."""

    def add_source(path="/feed", adapter_type=AdapterType.RSS, homepage=None) -> int:
        row = CatalogRow(
            slug="acme.mail",
            vendor="acme",
            name="Acme Mail",
            kind=Kind.CHANGELOG,
            homepage=homepage,
            changelog_url=site.url(path),
            adapter_type=adapter_type,
            feed_url=None if adapter_type is AdapterType.HTML else site.url(path),
            tags=(),
        )
        with database.write() as session:
            save_sources(session, [row])
            return session.scalars(select(Source.id)).one()

    return add_source


@pytest.fixture
def check(database, make_client, parsers, now):
    """Check a source some time from now: ``check(source_id, after=HOUR)``."""
    ingestion = Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: now)

    def check(source_id, *, after=timedelta(0), github=None):
        at = replace(ingestion, now=lambda: now + after, github=github)
        return check_now(at, source_id)

    return check


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
        page = page_latest(session, limit=9, offset=0, now=now)
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
