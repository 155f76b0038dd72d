"""The plans page: a price and one button each, and the operator's own texts where there are any."""

import re

import pytest

from handlers.context import Offer
from openapi.vocabulary import Plan

BUTTON = re.compile(r'<a class="button[^"]*" href="([^"]+)"[^>]*>([^<]+)</a>')


def buttons(browser):
    """Return the buttons of the page: where they lead, by their words."""
    found = BUTTON.findall(browser.get("/plans").text)
    return {words: href.replace("&amp;", "&") for href, words in found}


def test_each_plan_has_one_button_for_strangers(browser):
    assert buttons(browser) == {
        "Get a free key": "/auth/login",
        "Ask for Starter": "/app/plan?plan=starter",
        "Ask for All": "/app/plan?plan=all",
        "Ask for the Diff API": "/app/plan?plan=all&addon=diffs",
    }


def test_what_one_has_is_marked_and_has_no_button(ada, set_plan):
    set_plan(Plan.STARTER)

    shown = ada.get("/plans").text

    assert shown.count("your plan</span>") == 1
    assert set(buttons(ada)) == {"Ask for Free", "Ask for All", "Ask for the Diff API"}
    assert "Get a free key" not in shown


def test_a_button_leads_to_the_shop_where_there_is_one(pages_with):
    shop = "https://pay.example.org/all?ref=1"
    browser = pages_with(offer=Offer(checkout={"all": shop}))

    assert buttons(browser)["Get All"] == shop
    assert buttons(browser)["Ask for Starter"] == "/app/plan?plan=starter"


def test_no_price_is_invented_for_a_plan_without_one(browser):
    shown = browser.get("/plans").text

    assert shown.count("Price on request") == 1
    assert [price in shown for price in ("$0", "$9.99", "$49.99")] == [True, True, True]


def test_prices_are_in_the_operators_currency(pages_with):
    shown = pages_with(offer=Offer(currency="EUR")).get("/plans").text

    assert "€9.99" in shown
    assert "Prices in EUR" in shown
    assert "$" not in re.sub(r"<script.*", "", shown)


@pytest.mark.parametrize("name", ["terms", "privacy", "contact"])
def test_a_text_of_the_operators_is_a_page_and_a_link_only_where_there_is_one(
    browser, pages_with, name
):
    text = (
        "# Ours\n\nWrite to <b onclick=x>us</b>.\n\n[x](javascript:alert(1))\n\n|a|b|\n|-|-|\n|c|d|"
    )
    other = pages_with(offer=Offer(documents={name: text}))

    shown = other.get(f"/{name}").text

    assert browser.get(f"/{name}").status_code == 404
    assert f'href="/{name}"' not in browser.get("/plans").text
    assert f'href="/{name}"' in other.get("/plans").text
    assert "<h1>Ours</h1>" in shown
    assert "&lt;b onclick=x&gt;" in shown
    assert 'href="javascript' not in shown
    assert "<td>d</td>" in shown
