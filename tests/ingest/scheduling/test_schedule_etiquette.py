"""Two days with a vendor who watches closely: a real server, real fetches, a simulated clock.

The server knows nothing of the simulated time but what the loop tells it, and writes down every
way in which a visitor was impolite.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest

from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Fetched, NotModified
from ingest.scheduling.fetch_state import FetchState, Parsed, state_after
from openapi.vocabulary import AdapterType

START = datetime(2026, 11, 21, tzinfo=UTC)
TWO_DAYS = timedelta(hours=48)
HOUR = timedelta(hours=1)


@dataclass
class Visit:
    """One look at a source: when, what was asked, what the facts were afterwards."""

    at: datetime
    requests: list
    facts: FetchState


@dataclass
class Vendor:
    """Plays a vendor for two simulated days and keeps every visit."""

    site: object
    client: object
    now: datetime = START
    visits: list[Visit] = field(default_factory=list)

    def watch(self, path="/feed", *, slug="acme.changelog", lasting=TWO_DAYS) -> list[Visit]:
        """Look at a source whenever its facts say so, and return the visits."""
        facts = FetchState(slug, AdapterType.RSS, self.site.url(path))
        while self.now < START + lasting:
            before = len(self.site.seen)
            outcome = fetch(
                self.client, facts.feed_url, now=self.now, accept="*/*", validators=facts.validators
            )
            facts = state_after(facts, self._as_result(facts, outcome), now=self.now)
            self.visits.append(Visit(self.now, self.site.seen[before:], facts))
            self.now = facts.next_check_at
        return self.visits

    def _as_result(self, facts, outcome):
        """Do what the pipeline does: recognise, read, or pass on."""
        if not isinstance(outcome, Fetched):
            return outcome
        if outcome.body_hash == facts.body_hash:
            return NotModified(outcome.validators, outcome.freshness, outcome.permanent_address)
        return Parsed(outcome, "parser-1")


@pytest.fixture
def vendor(site, make_client):
    return Vendor(site, make_client())


def conditional(site, *, etag=None, last_modified=None, body=b"<rss/>", **headers):
    """Answer 304 to anybody who shows what was given, byte for byte."""
    given = {k: v for k, v in (("ETag", etag), ("Last-Modified", last_modified)) if v}

    def script(seen):
        shown = (seen.get("If-None-Match"), seen.get("If-Modified-Since"))
        same = shown == (etag, last_modified)
        return site.answer(304 if same else 200, b"" if same else body, **given, **headers)

    return script


@pytest.mark.parametrize(
    "given",
    [
        {"etag": "unquoted"},
        {"last_modified": "Fri, 20 Nov 2026 10:00:00 GMT"},
        {"etag": '"v1"', "last_modified": "Fri, 20 Nov 2026 10:00:00 GMT"},
        {"etag": '"v1"', "expires": "0", "cache_control": "no-cache"},
    ],
)
def test_every_request_but_the_first_is_conditional(site, vendor, given):
    site.on("/feed", conditional(site, **given))

    visits = vendor.watch()

    assert len(visits) >= 40
    expected = (given.get("etag"), given.get("last_modified"))
    for visit in visits[1:]:
        (seen,) = visit.requests
        assert (seen.get("If-None-Match"), seen.get("If-Modified-Since")) == expected
    assert {visit.facts.last_failure for visit in visits} == {None}


def test_each_address_sees_only_its_own_validators(site, vendor):
    site.on("/feed", lambda _: site.answer(302, location="/today", etag='"of-the-redirect"'))
    site.on("/today", conditional(site, etag='"of-the-document"'))

    visits = vendor.watch()

    for visit in visits[1:]:
        first, second = visit.requests
        assert (first.path, first.get("If-None-Match")) == ("/feed", None)
        assert (second.path, second.get("If-None-Match")) == ("/today", '"of-the-document"')


def gaps(visits) -> set[timedelta]:
    return {later.at - earlier.at for earlier, later in pairwise(visits)}


@pytest.mark.parametrize("hours", [2, 23])
def test_max_age_is_waited_for(site, vendor, hours):
    site.on("/feed", conditional(site, etag='"v1"', cache_control=f"max-age={hours * 3600}"))

    assert min(gaps(vendor.watch())) >= hours * HOUR


@pytest.mark.parametrize("status", [429, 503, 403, 500])
@pytest.mark.parametrize("in_words", [True, False])
@pytest.mark.parametrize("pause", [timedelta(minutes=5), 30 * HOUR])
def test_no_request_comes_before_retry_after_is_over(site, vendor, status, in_words, pause):
    """Every third visitor is sent away; whoever comes back too early would be seen."""
    free_at, count, too_early = [START], [0], []

    def script(_):
        if vendor.now < free_at[0]:
            too_early.append(vendor.now)
        count[0] += 1
        if count[0] % 3:
            return site.answer(body=b"<rss/>", etag='"v1"')
        free_at[0] = vendor.now.replace(microsecond=0) + pause
        until = format_datetime(free_at[0], usegmt=True)
        return site.answer(
            status, retry_after=until if in_words else str(int(pause.total_seconds()))
        )

    site.on("/feed", script)

    visits = vendor.watch(lasting=4 * TWO_DAYS)

    sent_away = [visit for visit in visits if visit.facts.last_failure]
    assert sent_away
    assert too_early == []
    for visit in sent_away:
        assert visit.facts.next_check_at >= visit.facts.retry_after_at
        assert visit.facts.retry_after_at - visit.at <= pause


def test_after_a_410_one_request_confirms_it_and_then_a_week_passes(site, vendor):
    site.reply("/feed", 410)

    visits = vendor.watch()

    assert len(visits) == 2
    assert visits[-1].facts.next_check_at >= visits[-1].at + timedelta(days=6.9)
