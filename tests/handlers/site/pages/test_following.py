"""What an account follows: which entries its list has, what is new, and its saved filters."""

import re
from datetime import timedelta

import pytest
from filling import important, publish

from openapi.vocabulary import Plan

PATH = "/following"
HEADLINE = re.compile(r'class="headline" href="[^"]+">(?:<span [^>]+>New: </span>)?(.*?)</a>')
HOUR = timedelta(hours=1)
BREAKING = important("breaking", text="Old tokens are refused", field="summary")


@pytest.fixture
def three(select, publish):
    """Ada's sources acme.compute and acme.mail, with an entry of each, and one of another."""
    select("acme.compute", "acme.mail")
    publish("acme.compute", important=BREAKING, gone=2 * HOUR)
    publish("acme.mail", told="far " * 200 + "zebra ", plain=26 * HOUR)
    publish("globex.mail", other=HOUR)


def headlines(browser, path=PATH):
    found = HEADLINE.findall(browser.get(path).text)
    return [re.sub("</?mark[^>]*>", "", headline) for headline in found]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["gone", "plain"]),
        ("category=breaking", ["gone"]),
        ("sources=globex.mail,acme.mail", ["plain"]),
        ("vendor=globex", []),
        ("q=zebra", ["plain"]),
    ],
)
def test_the_list_has_the_selected_sources_alone_with_their_whole_texts(ada, three, query, found):
    assert headlines(ada, f"{PATH}?{query}") == found


def test_strangers_are_asked_to_sign_in(browser):
    assert browser.get(PATH).location == "/auth/login?next=/following"


def test_the_old_address_leads_on_and_the_sign_in_to_the_list_once_there_is_one(ada, select):
    assert ada.get("/app/stream").location == PATH
    assert ada.sign_in().location == "/app/sources"
    select("acme.mail")
    assert ada.sign_in().location == PATH


def test_the_all_plan_has_the_whole_catalog_until_a_list_narrows_it(ada, set_plan, publish, select):
    set_plan(Plan.ALL)
    publish("acme.compute", a=HOUR)
    publish("globex.mail", b=2 * HOUR)
    assert "so this shows all sources" in ada.get(PATH).text
    whole = headlines(ada)

    ada.new_key()
    select("acme.compute")

    assert (whole, headlines(ada)) == (["a", "b"], ["a"])
    assert "so this shows all sources" not in ada.get(PATH).text


def test_nothing_is_shown_without_sources_or_above_the_slots_of_the_plan(
    ada, set_plan, select, publish
):
    publish("acme.compute", a=HOUR)
    assert '<a class="button" href="/app/sources">Follow sources</a>' in ada.get(PATH).text

    set_plan(Plan.STARTER)
    select("acme.compute", "acme.mail", "acme.storage", "globex.mail")
    assert headlines(ada) == ["a"]
    set_plan(Plan.FREE)
    shown = ada.get(PATH).text
    assert HEADLINE.findall(shown) == []
    assert "Your plan has 3 source slots and you follow 4 sources" in shown


def test_what_was_first_seen_since_the_last_visit_is_marked_until_the_visit_ends(
    ada, three, database, clock
):
    new = "New since your last visit"
    assert new not in ada.get(PATH).text

    clock.forward(hours=1)
    publish(database, clock(), "acme.mail", fresh=9 * HOUR)
    clock.forward(hours=1)
    shown = ada.get(PATH).text
    assert f"{new}: 1 entry" in shown
    assert shown.count("New: </span>") == 1
    clock.forward(minutes=29)
    assert new in ada.get(PATH).text
    clock.forward(minutes=31)
    assert new not in ada.get(PATH).text


@pytest.mark.parametrize(
    ("then", "place"),
    [
        ("list", "/following?vendor=acme"),
        ("feed", "/app/filters?feed="),
        ("webhook", "/app/webhooks?filter="),
        ("digest", "/app/webhooks?digest="),
        ("//evil.example", "/app/filters"),
    ],
)
def test_saving_a_filter_leads_on_to_what_it_is_saved_for(ada, then, place):
    page = f"/app/filters?vendor=acme&name=Of+Acme&then={then}"
    assert 'autocomplete="off" value="Of Acme"' in ada.get(page).text

    answer = ada.post("/app/filters", page=page, name="Of Acme", vendor="acme", then=then)

    assert answer.location.startswith(place)
    assert ada.post(page, page=page).location == answer.location
    chosen = ada.get(answer.location.partition("#")[0]).text
    listed = then in ("list", "//evil.example")
    assert listed or re.search(r'<option value="\w+" selected>Of Acme', chosen)
