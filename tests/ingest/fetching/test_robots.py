"""robots.txt: reading, matching and deciding (RFC 9309), and the one fetch it needs."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.fetching.outcomes import Failed, Failure
from ingest.fetching.robots import (
    LONGEST_FILE_BYTES,
    Robots,
    parse,
    refusal,
    robots_from,
    robots_of,
)

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
PAGE = "https://acme.example/changelog"


def allowed(text: str, path: str) -> bool:
    robots = Robots(NOW, parse(text.encode()))
    return refusal(robots, f"https://acme.example{path}", now=NOW) is None


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("", "/any", True),
        ("User-agent: *\nDisallow: /", "/any", False),
        ("User-agent: *\nDisallow: /private", "/private/page", False),
        ("user-agent:*\ndisallow:/private # secret", "/private", False),
        ("\ufeffUser-agent: *\nDisallow: /a", "/a", False),
        ("Disallow: /", "/any", True),
        ("User-agent: otherbot\nDisallow: /", "/any", True),
        ("User-agent: changewire\nDisallow: /", "/any", False),
        ("User-agent: ChangeWire/1.0\nDisallow: /", "/any", False),
        ("User-agent: changewirebot\nDisallow: /", "/any", True),
        ("User-agent: change\nDisallow: /", "/any", True),
        ("User-agent: changewire-bot\nDisallow: /", "/any", True),
        ("User-agent: *bot\nDisallow: /", "/any", False),
        ("User-agent: *\nDisallow: /\nUser-agent: changewire\nAllow: /", "/any", True),
        ("User-agent: changewire\nDisallow:\nUser-agent: *\nDisallow: /", "/any", True),
        ("User-agent: a\nUser-agent: changewire\nDisallow: /x", "/x", False),
        ("User-agent: changewire\nDisallow: /x\nUser-agent: b\nDisallow: /y", "/y", True),
        (
            "User-agent: changewire\nDisallow: /x\nUser-agent: b\nUser-agent: changewire\n"
            "Disallow: /y",
            "/y",
            False,
        ),
        ("User-agent: *\nDisallow: /\nAllow: /changelog", "/changelog/2026", True),
        (
            "User-agent: *\nAllow: /changelog\nDisallow: /changelog/private",
            "/changelog/private",
            False,
        ),
        ("User-agent: *\nDisallow: /*.json$", "/a/b.json", False),
        (" " * LONGEST_FILE_BYTES + "\nUser-agent: *\nDisallow: /", "/any", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nCrawl-delay: 10\nDisallow: /x", "/x", False),
    ],
)
def test_the_most_specific_rule_for_us_decides(text, path, expected):
    assert allowed(text, path) is expected


def test_a_hostile_pattern_costs_no_time():
    assert allowed("User-agent: *\nDisallow: /" + "*a" * 20_000 + "$", "/" + "a" * 1000 + "b")


@given(st.binary(max_size=300))
def test_no_file_is_too_strange(body):
    refused = refusal(Robots(NOW, parse(body)), PAGE, now=NOW)

    assert refused is None or refused.failure is Failure.DISALLOWED


DISALLOW_ALL = parse(b"User-agent: *\nDisallow: /")
ALLOW_ALL = parse(b"")
KNOWN = Robots(NOW - timedelta(hours=25), DISALLOW_ALL)
UNAVAILABLE = Failed(Failure.UNAVAILABLE, 503, timedelta(hours=2))


@pytest.mark.parametrize(
    "outcome",
    [
        *(Failed(Failure.CLIENT_ERROR, status) for status in (400, 401, 403, 404, 410, 451)),
        Failed(Failure.NO_CONTENT, 200),
        Failed(Failure.TOO_LARGE, 200),
        Failed(Failure.REDIRECT_LOOP, 200),
    ],
)
def test_rules_that_are_refused_missing_empty_or_without_end_allow_everything(outcome):
    robots = robots_from(outcome, cached=KNOWN, now=NOW)

    assert refusal(robots, PAGE, now=NOW) is None


@pytest.mark.parametrize(
    "outcome",
    [
        UNAVAILABLE,
        Failed(Failure.SERVER_ERROR, 500),
        Failed(Failure.RATE_LIMITED, 429),
        Failed(Failure.TIMEOUT),
        Failed(Failure.DNS),
        Failed(Failure.CONNECTION),
    ],
)
def test_a_site_that_cannot_say_is_waited_for(outcome):
    robots = robots_from(outcome, cached=None, now=NOW)

    assert refusal(robots, PAGE, now=NOW) is outcome


def test_rules_known_before_count_while_the_site_cannot_say():
    disallowing = robots_from(UNAVAILABLE, cached=KNOWN, now=NOW)
    allowing = robots_from(UNAVAILABLE, cached=Robots(NOW, ALLOW_ALL), now=NOW)

    assert refusal(disallowing, PAGE, now=NOW).failure is Failure.DISALLOWED
    assert refusal(allowing, PAGE, now=NOW) is None


def test_after_thirty_days_without_an_answer_everything_is_allowed():
    first = robots_from(UNAVAILABLE, cached=None, now=NOW)
    later = NOW + timedelta(days=30)
    still = robots_from(UNAVAILABLE, cached=first, now=later)

    assert refusal(first, PAGE, now=later - timedelta(seconds=1)) is UNAVAILABLE
    assert refusal(still, PAGE, now=later) is None


@pytest.mark.parametrize(
    ("robots", "hours"),
    [(Robots(NOW, ALLOW_ALL), 24), (robots_from(UNAVAILABLE, cached=None, now=NOW), 1)],
)
def test_rules_are_valid_for_a_day_and_a_failure_for_an_hour(robots, hours):
    end = NOW + timedelta(hours=hours)

    assert robots.is_fresh(now=end - timedelta(seconds=1))
    assert not robots.is_fresh(now=end)


def test_rules_are_fetched_once_a_day(site, make_client):
    site.reply("/robots.txt", body=b"User-agent: *\nDisallow: /private\n")
    client, known = make_client(), None

    for hour in range(48):
        now = NOW + timedelta(hours=hour)
        known = robots_of(client, site.url("/private"), cached=known, now=now)

    assert [seen.path for seen in site.seen] == ["/robots.txt", "/robots.txt"]
    assert refusal(known, site.url("/private"), now=NOW).failure is Failure.DISALLOWED
    assert refusal(known, site.url("/public"), now=NOW) is None
