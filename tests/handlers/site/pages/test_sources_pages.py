"""Sources for everybody: five answers, the fields of the sample, the newest entries, a request."""

import re
from datetime import timedelta

import pytest

from handlers.site.pages.sources import ANSWERS, PUBLIC_ENTRIES
from storage.models import SourceRequest

NOT_PUBLIC = ("changelog_url", "feeds.acme.example", "acme.example/compute", ">rss<", "cloud")


@pytest.fixture
def requests(rows):
    """Return the stored requests: pairs of address and note."""
    return lambda: [(one.url, one.note) for one in rows(SourceRequest)]


def test_a_question_is_answered_with_the_count_and_five_of_them_or_of_the_sample(browser):
    shown = browser.get("/sources?q=mail").text

    assert "6 sources for “mail”" in shown
    assert shown.count('href="/sources/') == ANSWERS
    assert browser.get("/sources").text.count('class="title"><a href="/sources/') == ANSWERS


@pytest.mark.parametrize("path", ["/sources?q=acme", "/sources/acme.compute", "/vendors/acme"])
def test_strangers_see_the_fields_of_the_sample_only(browser, path):
    shown = browser.get(path).text

    assert [word for word in NOT_PUBLIC if word in shown] == []


def test_a_request_is_stored_with_its_note_alone(browser, requests):
    answer = browser.post(
        "/sources/request", page="/sources", url=" https://acme.example/new ", note="Please"
    )

    assert (answer.status_code, answer.headers["Location"]) == (303, "/sources")
    assert requests() == [("https://acme.example/new", "Please")]
    assert "We will look at https://acme.example/new" in browser.get("/sources").text


@pytest.mark.parametrize(
    ("url", "note"),
    [
        ("", ""),
        ("https://user:word@acme.example/", ""),
        ("https://acme.example/" + "a" * 2048, ""),
        ("https://acme.example/", "n" * 2001),
    ],
)
def test_a_wrong_request_is_told_so_and_nothing_is_stored(browser, requests, url, note):
    answer = browser.post("/sources/request", page="/sources", url=url, note=note)

    assert (answer.status_code, 'role="alert"' in answer.text) == (400, True)
    assert requests() == []


def test_requests_are_limited_with_those_of_the_api(browser):
    urls = [f"https://acme.example/{place}" for place in range(6)]
    answers = [browser.post("/sources/request", page="/sources", url=url) for url in urls]

    assert [answer.status_code for answer in answers] == [303] * 5 + [429]
    assert "RateLimit" in answers[-1].headers


def test_a_source_shows_its_newest_fifty_entries(browser, publish):
    hours = {f"n{place}": timedelta(hours=place) for place in range(PUBLIC_ENTRIES + 1)}
    publish("acme.compute", **hours)

    shown = browser.get("/sources/acme.compute").text

    assert shown.count('class="headline"') == PUBLIC_ENTRIES
    assert 'href="/feeds/acme.compute.atom"' in shown


@pytest.mark.parametrize(
    ("query", "names"), [("", {"acme", "globex"}), ("?letter=G", {"globex"}), ("?tag=none", set())]
)
def test_vendors_are_listed_with_their_counts_by_letter_and_tag(browser, query, names):
    shown = browser.get(f"/vendors{query}").text

    assert {"acme", "globex"} & {*re.findall(r'<li><a href="/vendors/([^"]+)"', shown)} == names
    assert ('/vendors/acme">Acme</a> <span class="soft num">3' in shown) is ("acme" in names)
    assert "acme.compute" not in shown


def test_a_vendor_shows_its_own_entries_alone_and_feeds_of_them(browser, publish):
    publish("acme.compute", news=timedelta(hours=1))
    publish("globex.mail", other=timedelta(hours=1))

    shown = browser.get("/vendors/acme").text

    assert (">news</a>" in shown, ">other</a>" in shown) == (True, False)
    assert "3 sources</p>" in shown
    assert 'type="application/atom+xml" title="Changewire: Acme"' in shown
    assert '<a href="/subscribe?feed=updates&amp;vendor=acme">Feed</a>' in shown
    feed = browser.get("/feeds/updates.atom?vendor=acme").text
    assert "news" in feed
    assert "Globex" not in feed


@pytest.mark.parametrize("path", ["/sources/no.such", "/sources/%2e%2e", "/vendors/no"])
def test_what_is_not_there_is_not_found(browser, path):
    assert browser.get(path).status_code == 404
