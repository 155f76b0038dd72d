"""No silent gaps: what was published is stored, or lies inside a gap that is declared."""

import string
from datetime import UTC, datetime, timedelta
from time import process_time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete

from ingest.pipeline.gaps import ShownEntry, closes_gap, gap_between
from ingest.pipeline.source_state import MOST_TRIES
from openapi.vocabulary import Health
from storage.models import Entry, FetchFacts, Gap, Source

START = datetime(2026, 11, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)


def shown(ids, *, new=""):
    """Entries named a, b, c …, published an hour apart, in the vendor's order."""
    return [
        ShownEntry(id_, START + HOUR * string.ascii_letters.index(id_), id_ in new) for id_ in ids
    ]


def test_a_document_of_any_length_is_judged_in_little_time():
    known = [ShownEntry(f"k{age}", START - HOUR * (age + 1), is_new=False) for age in range(100)]
    ages = range(20_000)
    document = [
        ShownEntry(f"n{age}", START + timedelta(seconds=-age), age % 2 == 0) for age in ages
    ]

    began = process_time()
    found = gap_between(known, document)

    assert found is not None
    assert process_time() - began < 2  # seconds; each with each took four times as long


@pytest.mark.parametrize(
    ("known", "document", "new", "ends"),
    [
        ("cba", "dcb", "d", None),
        ("cba", "gfe", "gfe", "ce"),
        ("cba", "cba", "", None),
        ("", "cba", "cba", None),
        ("cba", "abcd", "d", None),  # the oldest first
        ("gfedcba", "hged", "h", None),  # f was withdrawn
        ("feda", "aihg", "ihg", "fg"),  # a stays on top
        ("feda", "ihga", "ihg", "fg"),  # a stays at the end
        ("fed", "fihg", "ihg", "fg"),  # the newest was put on top, and the rest went
    ],
)
def test_a_gap_is_where_a_document_does_not_reach_back(known, document, new, ends):
    found = gap_between(shown(known), shown(document, new=new))

    assert (None if found is None else found[0].id + found[1].id) == ends


def test_a_document_that_shows_both_ends_closes_a_gap():
    document = shown("gfedc", new="gfed")

    assert closes_gap(document, before_id="f", earlier_ids="cba")
    assert not closes_gap(document[:3], before_id="f", earlier_ids="cba")
    assert not closes_gap(shown("cba"), before_id="f", earlier_ids="cba")


class Vendor:
    """A vendor that publishes entries and shows the newest ones, as a feed of pages."""

    def __init__(self, site, *, window, paged=False, pinned=False):
        self.site, self.window, self.paged, self.pinned = site, window, paged, pinned
        self.count = 0
        self.is_broken = False  # as to its older pages
        site.on("/feed", self.answer)

    def publish(self, count):
        self.count += count

    def answer(self, seen):
        page = int(seen.path.partition("page=")[2] or 1)
        etag = f'"{self.count}-{self.window}"'
        if self.is_broken and page > 1:
            return self.site.answer(503)
        if seen.get("If-None-Match") == etag:
            return self.site.answer(304, etag=etag)
        newest = range(self.count, 0, -1)
        numbers = list(newest[(page - 1) * self.window : page * self.window])
        if self.pinned and page == 1 and self.count and 1 not in numbers:
            numbers = [1, *numbers[:-1]]
        more = ""
        if self.paged and page * self.window < self.count:
            address = self.site.url(f"/feed?page={page + 1}")
            more = f"<atom:link rel='next' href='{address}'/>"
        items = "".join(
            f"<item><guid>{number}</guid><title>Release {number}</title>"
            f"<pubDate>{START + number * HOUR:%a, %d %b %Y %H:%M:%S} GMT</pubDate></item>"
            for number in numbers
        )
        return self.site.answer(
            200,
            f"<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
            f"<title>Acme</title>{more}{items}</channel></rss>".encode(),
            etag=etag,
        )


@pytest.fixture
def check(check, add_source):
    """Check the source some hours from now, adding it at first."""

    def check_after(hours=0):
        return check(add_source(), after=hours * HOUR)

    return check_after


def test_a_gap_is_declared_with_its_ends_and_halves_the_pace(site, check, rows, now):
    vendor = Vendor(site, window=5)
    vendor.publish(5)
    check()
    vendor.publish(9)

    check(1)

    (gap,) = rows(Gap)
    assert (gap.after_id, gap.before_id, gap.closed_at) == ("5", "10", None)
    (facts,) = rows(FetchFacts)
    assert facts.open_gap
    assert rows(Source)[0].health is Health.OK


def test_a_document_of_the_future_joins_what_was_announced_before(site, check, rows, now):
    vendor = Vendor(site, window=3)
    vendor.publish(3 - (START - now) // HOUR)  # all three that it shows are of the next hours
    check()
    vendor.publish(1)

    check(1)  # the oldest of the three has come, and is shown no more

    assert rows(Gap) == []


def test_announced_entries_that_are_withdrawn_open_no_gap(site, check, rows, now):
    vendor = Vendor(site, window=5)
    vendor.publish(4 + (now - START) // HOUR)  # four of the five that it shows are of the future
    check()
    vendor.publish(-3)

    check(0.5)

    assert rows(Gap) == []


def test_a_gap_closes_when_a_later_document_shows_what_was_missed(site, check, rows, now):
    vendor = Vendor(site, window=5)
    vendor.publish(5)
    check()
    vendor.publish(9)
    check(1)
    vendor.window = 20

    check(2)

    (gap,) = rows(Gap)
    assert gap.closed_at == now + 2 * HOUR
    assert not rows(FetchFacts)[0].open_gap
    assert len(rows(Entry)) == 14


def test_older_pages_are_read_back_to_what_is_known(site, check, rows):
    vendor = Vendor(site, window=5, paged=True)
    vendor.publish(5)
    check()
    vendor.publish(17)

    check(1)

    assert rows(Gap) == []
    assert len(rows(Entry)) == 22


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    window=st.integers(2, 6),
    pinned=st.booleans(),
    batches=st.lists(st.integers(0, 12), min_size=1, max_size=6),
)
@example(window=3, pinned=True, batches=[5, 3, 9, 1])
@example(window=2, pinned=True, batches=[2, 12])
def test_everything_published_is_stored_or_inside_a_declared_gap(
    database, site, check, rows, window, pinned, batches
):
    with database.write() as session:
        session.execute(delete(Source))
    vendor = Vendor(site, window=window, pinned=pinned)
    vendor.publish(1)
    check()
    was, missed_nothing = 1, True
    for hours, batch in enumerate(batches, 1):
        vendor.publish(batch)
        check(hours)
        missed_nothing = missed_nothing and batch < window - pinned
        was += batch

    stored = {int(entry.external_id) for entry in rows(Entry)}
    gaps = [(int(gap.after_id), int(gap.before_id)) for gap in rows(Gap)]
    silent = [
        number
        for number in range(1, was + 1)
        if number not in stored and not any(after < number < before for after, before in gaps)
    ]
    assert silent == []
    assert not (missed_nothing and gaps)


@pytest.fixture
def broken_vendor(site, check):
    """A vendor of which entries were missed while its older pages could not be had."""
    vendor = Vendor(site, window=5, paged=True)
    vendor.publish(5)
    check()
    vendor.publish(9)
    vendor.is_broken = True
    check(1)
    return vendor


def test_older_pages_that_failed_are_requested_again(site, check, rows, broken_vendor):
    check(2)
    assert [(gap.tries, gap.closed_at) for gap in rows(Gap)] == [(2, None)]
    broken_vendor.is_broken = False

    check(3)

    assert rows(Gap)[0].closed_at is not None
    assert len(rows(Entry)) == 14
    assert not rows(FetchFacts)[0].open_gap


def test_a_pending_backfill_is_first_requested_with_validators(site, check, broken_vendor):
    before = len(site.seen)

    check(2)

    asked = [(seen.path, seen.get("If-None-Match")) for seen in site.seen[before:]]
    assert asked == [("/feed", '"14-5"'), ("/feed", None), ("/feed?page=2", None)]


def test_a_backfill_is_not_tried_for_ever(site, check, rows, broken_vendor):
    for hours in range(2, MOST_TRIES + 1):
        check(hours)
    assert rows(Gap)[0].tries == MOST_TRIES
    before = len(site.seen)

    check(MOST_TRIES + 1)

    assert len(site.seen) == before + 1


def test_a_vendor_that_shows_nothing_older_is_not_requested_again(site, check, rows):
    vendor = Vendor(site, window=5)
    vendor.publish(5)
    check()
    vendor.publish(9)
    check(1)

    check(2)

    assert rows(Gap)[0].tries is None
    assert len(site.seen) == 3


def test_a_gap_of_long_ago_counts_no_more(site, check, rows):
    vendor = Vendor(site, window=5)
    vendor.publish(5)
    check()
    vendor.publish(9)
    check(1)
    vendor.publish(1)

    check(24 * 181)

    assert rows(Gap)[0].closed_at is None
    assert not rows(FetchFacts)[0].open_gap
