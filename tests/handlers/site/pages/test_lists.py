"""The newest and the important entries, for everybody."""

from datetime import date, timedelta
from html import unescape

import pytest
from filling import important

from handlers.site.pages.lists import PAGE
from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.entry_pages import LOOKED_AHEAD

IMPORTANT = important("security", text="Old tokens are <b>refused", field="summary")
MARCH = DeadlineRecord(
    DeadlineKind.MIGRATION, date(2031, 3, 1), date(2031, 3, 31), "Migrate in March 2031."
)


@pytest.fixture
def two(publish):
    """An important and a plain entry."""
    publish("acme.compute", important=IMPORTANT, deadlines=(MARCH,), gone=timedelta(hours=2))
    publish("acme.mail", plain=timedelta(days=1))


def test_the_latest_are_shown_day_by_day(browser, two):
    shown = browser.get("/latest").text

    assert shown.index("Today") < shown.index(">gone<") < shown.index(">plain<")
    assert '<a href="/sources/acme.mail">Acme Mail</a>' in shown


def test_the_important_alone_are_shown_with_their_sentence_and_deadline(browser, two):
    shown = browser.get("/important").text

    assert "Old tokens are &lt;b&gt;refused" in shown
    assert '<time datetime="2031-03-31">March 2031</time>' in shown
    assert ">plain<" not in shown


@pytest.mark.parametrize(("query", "size"), [("?", PAGE), ("?q=about&", LOOKED_AHEAD - 1)])
def test_further_pages_lead_on_and_back(browser, publish, query, size):
    publish("acme.compute", **{f"n{place}": timedelta(minutes=place) for place in range(size + 1)})

    first, second = (unescape(browser.get(f"/latest{query}offset={at}").text) for at in (0, size))

    assert f'rel="next" href="/latest{query}offset={size}"' in first
    assert 'rel="prev"' not in first
    assert 'rel="prev" href="/latest' in second
    assert 'rel="next"' not in second


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("vendor=globex", (False, False)),
        ("category=security,breaking", (True, False)),
        ("kind=nonsense&sources=acme.mail&offset=x", (True, True)),
    ],
)
def test_the_latest_are_narrowed_but_not_to_sources(browser, two, query, found):
    shown = browser.get(f"/latest?{query}").text

    assert (">gone<" in shown, ">plain<" in shown) == found


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("latest?category=breking", "<code>category=breking</code> was ignored. Use breaking, "),
        ("latest?vendor=acne", 'No source has <code>vendor=acne</code>. See <a href="/vendors">'),
        ("latest?vendor=acme&category=breaking,security", "Breaking changes and security fixes"),
        ("latest?q=gone&since=2026-01-01", "Latest changes matching “gone” since 2026-01-01</h1>"),
        ("deadlines?from=xx", "<code>from=xx</code> was ignored. Use within=30, "),
        ("sources?health=bogus", "<code>health=bogus</code> was ignored. <a href="),
    ],
)
def test_a_list_names_its_filters_and_those_that_are_wrong(browser, two, path, said):
    assert said in browser.get(f"/{path}").text


def test_a_narrowed_list_is_followed_as_it_is(browser, two):
    shown = browser.get("/important?vendor=acme&category=security").text

    query = "vendor=acme&amp;category=security"
    assert f'<a href="/api/v1/important?{query}">' in shown
    assert f'<a href="/subscribe?feed=important&amp;{query}">Feed' in shown
    addresses = browser.get("/subscribe?feed=important&vendor=acme&category=security").text
    for way in ("/feeds/important.atom", "/rss/important.xml", "/feeds/important.json"):
        assert f'">https://changewire.example{way}?{query}</code>' in addresses
    for then in ("webhook", "digest"):
        assert f"/app/filters?{query}&amp;name=Security+%C2%B7+acme&amp;then={then}" in shown
    assert f'Changewire: Important, acme · security" href="/feeds/important.atom?{query}">' in shown
    assert '&amp;then=list#new">Save filter' in shown
    assert "Save filter" not in browser.get("/important").text
    narrowed = browser.get("/important?vendor=acme").text
    assert "category=breaking%2Cdeprecation%2Csecurity&amp;name=Important" in narrowed


def test_a_search_names_sources_and_vendors_before_entries(browser):
    shown = browser.get("/search?q=acme+mail").text.split('aria-label="Sources and vendors"')[1]

    assert shown.index('href="/sources/acme.mail">') < shown.index('<a href="/vendors/acme">')
    assert "Sources and vendors" not in browser.get("/search?q=nothing-like-it").text


def test_a_search_finds_counts_and_marks_entries_by_their_words(browser, two):
    shown = browser.get("/search?q=plain").text

    assert 'href="/api/v1/latest?q=plain"' in shown
    assert "1 entry</p>" in shown
    assert '<mark class="hit">plain</mark></a>' in shown
    assert 'All about <mark class="hit">plain</mark>.' in shown
