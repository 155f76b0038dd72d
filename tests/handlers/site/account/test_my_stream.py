"""One's own stream: which entries it has, and what narrows it."""

import re
from datetime import date, timedelta

import pytest
from filling import important

from handlers.site.account.my_stream import PAGE as LINES
from openapi.vocabulary import DeadlineKind, Plan
from storage.entries.deadlines import DeadlineRecord

STREAM = "/app/stream"
HEADLINE = re.compile(r'<a class="headline" href="[^"]+">(.*?)</a>')
HOUR = timedelta(hours=1)
BREAKING = important("breaking", text="Old tokens are refused", field="summary")


@pytest.fixture
def three(select, publish):
    """Ada's sources acme.compute and acme.mail, with an entry of each, and one of another."""
    select("acme.compute", "acme.mail")
    publish("acme.compute", important=BREAKING, gone=2 * HOUR)
    publish("acme.mail", plain=26 * HOUR)
    publish("globex.mail", other=HOUR)


def headlines(browser, path=STREAM):
    found = HEADLINE.findall(browser.get(path).text)
    return [re.sub("</?mark[^>]*>", "", headline) for headline in found]


def test_the_stream_has_the_selected_sources_alone_day_by_day(ada, three):
    shown = ada.get(STREAM).text

    assert HEADLINE.findall(shown) == ["gone", "plain"]
    assert shown.index("Today") < shown.index(">gone<") < shown.index("Yesterday")
    assert "2 sources" in shown


def test_each_entry_has_its_badge_evidence_deadline_and_both_dates(ada, select, publish):
    select("acme.mail")
    last = date(2026, 12, 14)
    deadline = DeadlineRecord(DeadlineKind.REMOVAL, last, last, "It is removed.")
    publish("acme.mail", important=BREAKING, deadlines=(deadline,), gone=2 * HOUR)
    publish("acme.mail", important=important("security", text="hole"), **{"A hole": HOUR})

    shown = ada.get(STREAM).text

    assert 'A <mark class="security">hole</mark>' in shown
    assert '<span class="badge breaking">Breaking</span>' in shown
    assert '“<mark class="breaking">Old tokens are refused</mark>”' in shown
    assert '<time datetime="2026-12-14">14 December 2026</time> <span>(in 23 days)</span>' in shown
    assert '10:00 <span class="utc">UTC</span> · 2 hours ago' in shown
    assert '<span class="wide-only">Saturday </span>21 November 2026</span>' in shown


def test_the_all_plan_has_the_whole_catalog_until_a_list_narrows_it(ada, set_plan, publish, select):
    set_plan(Plan.ALL)
    publish("acme.compute", a=HOUR)
    publish("globex.mail", b=2 * HOUR)
    whole = headlines(ada)

    ada.new_key()
    select("acme.compute")

    assert (whole, headlines(ada)) == (["a", "b"], ["a"])


def test_nothing_is_shown_above_the_slots_of_the_plan(ada, set_plan, select, publish):
    set_plan(Plan.STARTER)
    select("acme.compute", "acme.mail", "acme.storage", "globex.mail")
    publish("acme.compute", a=HOUR)
    assert headlines(ada) == ["a"]

    set_plan(Plan.FREE)
    shown = ada.get(STREAM).text
    assert HEADLINE.findall(shown) == []
    assert "Your plan has 3 source slots and you have 4 sources selected" in shown


def test_without_sources_the_stream_leads_to_choosing(ada, publish):
    publish("acme.compute", a=HOUR)
    shown = ada.get(STREAM).text

    assert HEADLINE.findall(shown) == []
    assert '<a class="button" href="/app/sources">Choose sources</a>' in shown


def test_the_sign_in_leads_to_the_stream_once_something_is_selected(ada, select):
    assert ada.sign_in().location == "/app/sources"
    select("acme.mail")
    assert ada.sign_in().location == STREAM


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("category=breaking", ["gone"]),
        ("vendor=globex", []),
        ("kind=blog", []),
        ("days=1", ["gone"]),
        ("since=2026-11-20&until=2026-11-20", ["plain"]),
        ("q=plain", ["plain"]),
        ("category=nice&kind=x&unread=1", ["gone", "plain"]),
    ],
)
def test_the_address_narrows_the_stream(ada, three, query, found):
    assert headlines(ada, f"{STREAM}?{query}") == found


def test_words_are_searched_in_the_whole_text_of_ones_own_sources(ada, select, publish):
    select("acme.mail")
    publish("acme.mail", told="far " * 200 + "zebra ", a=HOUR)

    assert headlines(ada, f"{STREAM}?q=zebra") == ["a"]


def test_chips_add_a_condition_and_take_it_away(ada, three):
    shown = ada.get(f"{STREAM}?category=breaking&kind=blog").text

    assert '<a class="chip" href="/app/stream?kind=blog" aria-current="true">Breaking' in shown
    assert '<a class="chip" href="/app/stream?category=security&amp;kind=blog">Security' in shown
    assert 'href="/app/stream?category=breaking&amp;kind=blog&amp;days=7">Last 7 days' in shown
    for then in ("feed", "webhook", "digest", "stream"):
        query = "category=breaking&amp;kind=blog&amp;name="
        assert re.search(rf'href="/app/filters\?{query}[^"]+&amp;then={then}#new"', shown)


def test_menus_offer_what_ones_own_sources_have(ada, select, publish):
    select("acme.mail", "globex.mail")
    publish("acme.mail", a=HOUR)
    shown = ada.get(STREAM).text

    assert 'href="/app/stream?vendor=globex">globex</a>' in shown
    assert "vendor=hooli" not in shown
    assert 'aria-label="Kind"' not in shown  # all are changelogs


def save(browser, name="Of Acme", **parameters):
    page = "/app/filters"
    answer = browser.post(page, page=page, name=name, **parameters)
    assert answer.status_code == 303
    return re.search(r"filter=(\w+)", answer.location)[1]


def test_a_saved_filter_is_a_view_that_chips_narrow_further(ada, three):
    public_id = save(ada, vendor="acme", kind="changelog", then="stream")
    path = f"{STREAM}?filter={public_id}"

    assert headlines(ada, path) == ["gone", "plain"]
    assert headlines(ada, f"{path}&category=breaking") == ["gone"]
    assert headlines(ada, f"{path}&vendor=globex") == []
    shown = ada.get(path).text
    assert "<h1>Of Acme</h1>" in shown
    assert f'<a href="{path}" aria-current="page">Of Acme</a>' in shown


def test_a_saved_filter_never_adds_to_the_selection(ada, three):
    public_id = save(ada, sources="globex.mail,acme.mail", then="stream")

    assert headlines(ada, f"{STREAM}?filter={public_id}") == ["plain"]


@pytest.mark.parametrize(
    ("then", "place"),
    [
        ("stream", "/app/stream?filter="),
        ("feed", "/app/filters?feed="),
        ("webhook", "/app/webhooks?filter="),
        ("digest", "/app/webhooks?digest="),
    ],
)
def test_saving_a_view_leads_on_to_what_it_is_saved_for(ada, then, place):
    query = f"/app/filters?vendor=acme&name=Of+Acme&then={then}"
    form = ada.get(query).text
    assert 'name="name" required maxlength="80" autocomplete="off" value="Of Acme"' in form
    assert f'name="then" value="{then}"' in form

    answer = ada.post("/app/filters", page=query, name="Of Acme", vendor="acme", then=then)

    assert answer.location.startswith(place)
    chosen = ada.get(answer.location.partition("#")[0]).text
    for other in ("//evil.example", ""):
        again = ada.post("/app/filters", page=query, name="n", vendor="acme", then=other)
        assert again.location == "/app/filters"
    assert then == "stream" or re.search(r'<option value="\w+" selected>Of Acme', chosen)


def test_further_pages_lead_on_and_back(ada, select, publish):
    select("acme.mail")
    publish("acme.mail", **{f"n{place}": timedelta(minutes=place) for place in range(LINES + 1)})
    first, second = ada.get(STREAM).text, ada.get(f"{STREAM}?offset={LINES}").text

    assert f'rel="next" href="/app/stream?offset={LINES}"' in first
    assert 'rel="prev" href="/app/stream"' in second
    assert HEADLINE.findall(second) == [f"n{LINES}"]
