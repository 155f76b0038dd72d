"""Addresses are asked politely: one after the other, with a pause, and no more when told so."""

import time
from datetime import timedelta

import pytest

from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from ingest.pipeline.ingestion import Ingestion
from ingest.workers.address_checks import check_addresses, finding_of
from openapi.vocabulary import AdapterType, AddressStatus
from storage.catalog.address_checks import SourceAddresses

PAUSE = timedelta(milliseconds=40)


@pytest.fixture
def check(database, make_client, parsers, now):
    """Check the feeds at some addresses; return the findings by address."""

    def check(addresses):
        sources = [
            SourceAddresses(number, f"acme.s{number}", AdapterType.GITHUB_RELEASES, each, each)
            for number, each in enumerate(addresses)
        ]
        found = {}
        check_addresses(
            Ingestion(db=database, client=make_client(), parsers=parsers, now=lambda: now),
            sources,
            on_checked=lambda _, finding: found.update({finding.address: finding}),
            pause=PAUSE,
        )
        return found

    return check


FEED = (
    b"<feed xmlns='http://www.w3.org/2005/Atom'><title>r</title><entry><id>1</id><title>v1</title>"
    b"<link href='https://acme.example/1'/><updated>2026-11-20T09:00:00Z</updated></entry></feed>"
)


def test_a_host_is_asked_one_request_after_the_other(check, site):
    times = []

    def answer(seen):
        times.append(time.monotonic())
        return site.answer(200, FEED)

    for number in range(3):
        site.on(f"/{number}", answer)

    found = check([site.url(f"/{number}") for number in range(3)])

    assert {finding.status for finding in found.values()} == {AddressStatus.CONFIRMED}
    assert times[1] - times[0] >= 0.9 * PAUSE.total_seconds()
    assert times[2] - times[1] >= 0.9 * PAUSE.total_seconds()


def test_a_host_that_asks_to_be_left_alone_is(check, site):
    site.reply("/0", 429, retry_after="60")
    site.reply("/1", body=FEED)
    site.reply("/2", body=FEED)
    crowded = [site.url("/0"), site.url("/1")]
    other = site.url("/2", host="globex.example")

    found = check([*crowded, other])

    assert set(found) == {crowded[0], other}
    assert found[crowded[0]].status is None
    assert [seen.path for seen in site.seen if seen.path == "/1"] == []


HERE, THERE = "https://acme.example/feed", "https://acme.example/new"


def fetched(permanent_address=None):
    return Fetched(b"x", None, THERE, permanent_address=permanent_address)


@pytest.mark.parametrize(
    ("outcome", "status", "moved_to"),
    [
        (fetched(), AddressStatus.CONFIRMED, None),
        (fetched(HERE), AddressStatus.CONFIRMED, None),
        (fetched(THERE), AddressStatus.MOVED, THERE),
        (NotModified(Validators(HERE, etag='"1"')), AddressStatus.CONFIRMED, None),
        (Failed(Failure.GONE), AddressStatus.GONE, None),
        (Failed(Failure.DNS), AddressStatus.GONE, None),
        (Failed(Failure.TIMEOUT), None, None),
    ],
)
def test_an_answer_confirms_says_where_to_or_that_it_is_gone(outcome, status, moved_to):
    finding = finding_of(outcome, HERE)

    assert (finding.status, finding.moved_to) == (status, moved_to)
