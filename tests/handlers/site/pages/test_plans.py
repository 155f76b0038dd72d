"""The plans page: a price and one button each, and the operator's own texts where there are any."""

import re

import pytest

from handlers.context import Offer

BUTTON = re.compile(r'<a class="button[^"]*" href="([^"]+)"[^>]*>([^<]+)</a>')


def buttons(browser):
    """Return the buttons of the page: where they lead, by their words."""
    found = BUTTON.findall(browser.get("/plans").text)
    return {words: href.replace("&amp;", "&") for href, words in found}


def test_each_plan_has_one_button_for_strangers(browser):
    assert buttons(browser) == {
        "Sign up for free": "/auth/login",
        "Request Starter": "/app/plan?plan=starter",
        "Request All": "/app/plan?plan=all",
        "Request Diff API": "/app/plan?plan=all&addon=diffs",
    }
    assert "Contact us for pricing" in browser.get("/plans").text


def test_a_button_leads_to_the_shop_where_there_is_one(pages_with):
    shop = "https://pay.example.org/starter?ref=1"
    browser = pages_with(offer=Offer(checkout={"starter": shop}))

    assert buttons(browser)["Get Starter"] == shop
    assert buttons(browser)["Request All"] == "/app/plan?plan=all"
    assert "Price at checkout" in browser.get("/plans").text


@pytest.mark.parametrize("name", ["terms", "privacy", "contact"])
def test_a_text_of_the_operators_is_a_page_and_a_link_only_where_there_is_one(
    browser, pages_with, name
):
    text = "# Ours\n\n<b onclick=x>Us</b>\n\n[x](javascript:alert(1))\n\n|a|b|\n|-|-|\n|c|d|"
    other = pages_with(offer=Offer(documents={name: text}))

    shown = other.get(f"/{name}").text

    assert browser.get(f"/{name}").status_code == 404
    assert f'href="/{name}"' not in browser.get("/plans").text
    assert f'href="/{name}"' in other.get("/plans").text
    assert "<h1>Ours</h1>" in shown
    assert "&lt;b onclick=x&gt;" in shown
    assert 'href="javascript' not in shown
    assert "<td>d</td>" in shown
