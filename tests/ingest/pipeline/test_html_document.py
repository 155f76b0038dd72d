"""Pages that change their form: entries are found again, or the failure stands."""

from datetime import timedelta

import pytest
from specimen.checks import check_now
from sqlalchemy import select

from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.report import CheckStatus
from openapi.vocabulary import AdapterType
from storage.models import Entry, EntryRevision, FetchFacts, Gap
from storage.scheduling.due import forget_recipe

NOTES = {
    number: f"Mail {number}.0 sorts the inbox by what matters, in {number} steps, at once."
    for number in range(1, 40)
}


def as_headings(numbers):
    """The first form: a heading with a version and a date, then text."""
    entries = "".join(
        f"<h2 id='v{n}'>Mail {n}.0 – 2026-{1 + n // 28:02}-{1 + n % 28:02}</h2><p>{NOTES[n]}</p>"
        for n in numbers
    )
    return f"<html><title>Log</title><main><h1>What is new</h1>{entries}</main></html>".encode()


def as_cards(numbers):
    """Another form: cards in a grid, the date apart, other addresses."""
    entries = "".join(
        f"<div class='card x{n}'><div class='top'><span class='when'>2026-{1 + n // 28:02}-"
        f"{1 + n % 28:02}</span></div><a class='name' href='/news/mail-{n}'>Mail {n}.0</a>"
        f"<div class='text'><p>{NOTES[n]}</p></div></div>"
        for n in numbers
    )
    return (
        "<html><title>News</title><body><nav><a href='/'>Home</a><a href='/p'>Prices</a></nav>"
        f"<div class='grid'>{entries}</div></body></html>"
    ).encode()


def as_table(numbers):
    """A form without addresses, read without any recipe."""
    entries = "".join(
        f"<tr><td>2026-{1 + n // 28:02}-{1 + n % 28:02}</td><td>Mail {n}.0</td>"
        f"<td><p>{NOTES[n]}</p></td></tr>"
        for n in numbers
    )
    return f"<html><title>Log</title><main><table>{entries}</table></main></html>".encode()


@pytest.fixture
def check(database, make_client, parsers, site, now, add_source):
    """Check the page after so many days: ``check(1, page)``."""
    site.reply("/robots.txt", status=404)
    source_id = add_source("/log", AdapterType.HTML)
    client = make_client()

    def check(days, page):
        site.reply("/log", body=page)
        at = now + timedelta(days=days)
        return check_now(Ingestion(database, client, parsers, now=lambda: at), source_id)

    return check


def ids(rows):
    return sorted(entry.external_id for entry in rows(Entry))


def test_a_redesigned_page_keeps_its_entries(check, rows):
    check(0, as_headings(range(12, 0, -1)))
    before = ids(rows)

    report = check(1, as_cards(range(13, 0, -1)))
    again = check(2, as_cards(range(14, 0, -1)))

    assert (report.status, report.new) == (CheckStatus.FETCHED, 1)
    assert (again.status, again.new) == (CheckStatus.FETCHED, 1)
    assert set(before) < set(ids(rows))
    assert len(ids(rows)) == 14
    assert rows(FetchFacts)[0].recipe is not None
    assert rows(Gap) == []


def test_a_page_is_asked_for_as_markdown(check, site):
    page = b"# Log\n\n## 2.0 (2026-02-03)\n\nNew.\n\n## 1.0 (2026-01-03)\n\nFirst.\n"

    report = check(0, page)

    assert report.new == 2
    accepted = [seen.get("accept") for seen in site.seen if seen.path == "/log"]
    assert accepted[0].startswith("text/markdown, text/html;q=0.9")


def test_entries_that_lose_their_addresses_are_not_told_again(check, rows):
    check(0, as_headings(range(12, 0, -1)))
    before = ids(rows)

    reports = [check(day, as_table(range(12 + day, 0, -1))) for day in range(1, 3)]

    assert [report.new for report in reports] == [1] * 2
    assert [report.edited for report in reports] == [12, 0]
    assert set(before) < set(ids(rows))
    assert rows(FetchFacts)[0].recipe is None
    assert rows(Gap) == []


def test_a_page_that_lost_its_entries_fails_and_stores_no_garbage(check, rows):
    check(0, as_headings(range(12, 0, -1)))
    before = ids(rows)
    links = "".join(f"<li><a href='/blog/{n}'>Ten reasons for letters</a></li>" for n in range(9))

    report = check(1, f"<html><h1>Welcome</h1><ul>{links}</ul></html>".encode())

    assert report.status is CheckStatus.FAILED
    assert ids(rows) == before
    assert rows(FetchFacts)[0].last_failure == "empty"


def test_a_page_that_filled_up_with_news_is_read_and_the_gap_declared(check, rows):
    check(0, as_headings(range(9, 0, -1)))

    report = check(30, as_headings(range(29, 20, -1)))

    assert (report.status, report.new) == (CheckStatus.FETCHED, 9)
    (gap,) = rows(Gap)
    assert gap.closed_at is None


def test_what_was_learnt_can_be_undone(check, rows, database):
    check(0, as_headings(range(12, 0, -1)))
    with database.write() as session:
        facts = session.scalars(select(FetchFacts)).one()
        facts.recipe, facts.recipe_made_at = '{"entry": "div.card"}', facts.last_attempt_at

    with database.write() as session:
        assert forget_recipe(session, "acme.mail")

    (facts,) = rows(FetchFacts)
    assert (facts.recipe, facts.body_hash, facts.next_check_at) == (None, None, None)
    assert rows(EntryRevision) == []
