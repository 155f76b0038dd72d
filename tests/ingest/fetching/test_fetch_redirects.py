"""Redirects: followed by hand, counted, checked, and believed only when permanent."""

import pytest

from ingest.fetching.outcomes import Failure, NotModified, Validators

FEED = b"<rss/>"


def chain(site, *statuses):
    """Script /0 -> /1 -> ... with these statuses; the last address has the document."""
    for number, status in enumerate(statuses):
        site.reply(f"/{number}", status, location=f"/{number + 1}")
    site.reply(f"/{len(statuses)}", body=FEED, etag='"v1"')


@pytest.mark.parametrize(
    ("statuses", "permanent"),
    [
        ((), None),
        ((301,), "/1"),
        ((308,), "/1"),
        ((302,), None),
        ((301, 302), "/1"),
        ((301, 302, 301), "/1"),
        ((301, 301, 301, 301, 301), "/5"),
    ],
)
def test_only_the_permanent_beginning_of_a_chain_is_reported(site, ask, statuses, permanent):
    chain(site, *statuses)

    outcome = ask(site.url("/0"))

    assert outcome.permanent_address == (permanent and site.url(permanent))
    assert outcome.address == site.url(f"/{len(statuses)}")


def test_a_sixth_redirect_is_not_followed(site, ask):
    chain(site, 301, 301, 301, 301, 301, 301)

    assert ask(site.url("/0")).failure is Failure.REDIRECT_LOOP
    assert len(site.seen) == 6


def test_a_circle_is_left_at_once(site, ask):
    site.reply("/a", 302, location="/b")
    site.reply("/b", 302, location="/a")

    assert ask(site.url("/a")).failure is Failure.REDIRECT_LOOP
    assert len(site.seen) == 2


def test_validators_go_to_the_address_they_came_from_at_the_end_of_a_chain(site, ask):
    chain(site, 302)
    known = ask(site.url("/0")).validators
    site.on("/1", lambda seen: site.answer(304 if seen.get("If-None-Match") == '"v1"' else 200))

    outcome = ask(site.url("/0"), validators=known)

    assert outcome == NotModified(Validators(site.url("/1"), '"v1"'))
    assert [seen.get("If-None-Match") for seen in site.seen[2:]] == [None, '"v1"']


@pytest.mark.parametrize(
    ("location", "found"),
    [
        ("/moved", "/moved"),
        ("moved", "/moved"),
        ("?page=2", "/feed?page=2"),
        ("/moved#latest", "/moved"),
        ("/caf%C3%A9", "/caf%C3%A9"),
    ],
)
def test_a_location_may_be_relative(site, ask, location, found):
    path = found.partition("?")[0]
    site.on(
        "/feed",
        lambda seen: (
            site.answer(302, location=location) if seen.path == "/feed" else site.answer(body=FEED)
        ),
    )
    if path != "/feed":
        site.reply(path, body=FEED)

    assert ask(site.url()).address == site.url(found)


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "http://[::1",
        "http://user:password@acme.example/",
        "//user@acme.example/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)
def test_every_hop_is_checked(site, ask, location):
    site.reply("/feed", 301, location=location)

    assert ask(site.url()).failure is Failure.ADDRESS_REFUSED
    assert len(site.seen) == 1


def test_a_redirect_from_https_to_http_is_refused(site, tls_site, ask):
    tls_site.reply("/feed", 301, location=site.url())
    site.reply("/feed", body=FEED)

    outcome = ask(tls_site.url(host="acme.example", scheme="https"))

    assert outcome.failure is Failure.ADDRESS_REFUSED
    assert site.seen == []
