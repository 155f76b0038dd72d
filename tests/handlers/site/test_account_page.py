"""The account page: what the plan gives, costs, and how much of it is used."""

import pytest

from handlers.site.destinations import HOME
from openapi.vocabulary import Plan

PAGE = "/app/account"


@pytest.mark.parametrize(
    ("plan", "addon", "said"),
    [
        (Plan.FREE, False, ["Your plan: Free", "3 sources of your choice", "0 a month"]),
        (Plan.STARTER, False, ["Your plan: Starter", "10 sources of your choice"]),
        (Plan.ALL, False, ["Your plan: All", "The whole catalog: 18 sources", "9.99 a month"]),
        (Plan.ALL, True, ["Diffs of every source", "9.99 a month, the Diff API 49.99 a month"]),
        (Plan.FREE, True, ["which sleeps until you are on the All plan"]),
    ],
)
def test_each_plan_says_what_it_gives_and_costs(ada, set_plan, plan, addon, said):
    set_plan(plan, diffs_addon=addon)

    shown = ada.get(PAGE).text

    assert [each for each in said if each not in shown] == []


@pytest.mark.parametrize(
    ("plan", "more"),
    [
        (Plan.FREE, ["7 more sources, 10 in all", "All 18 sources instead of 3"]),
        (Plan.STARTER, ["All 18 sources instead of 10"]),
        (Plan.ALL, ["Before and after of every change"]),
    ],
)
def test_what_a_bigger_plan_would_add_is_said(ada, set_plan, plan, more):
    set_plan(plan)

    shown = ada.get(PAGE).text

    assert [each for each in more if each not in shown] == []


def test_who_has_everything_is_offered_nothing(ada, set_plan):
    set_plan(Plan.ALL, diffs_addon=True)

    assert "What more there is" not in ada.get(PAGE).text


def test_use_is_counted(ada):
    key = ada.new_key().split("_")[1]
    there = f"/app/api-keys/{key}/sources"
    ada.post(there, page=there, slug="acme.compute", change="add")

    shown = ada.get(PAGE).text

    assert "1 of 3 source slots used" in shown
    assert "1 of 10 API keys" in shown


def test_the_page_says_who_sets_plans_and_what_customers_can_do(ada):
    shown = ada.get(PAGE).text

    assert "ask for another one, and name ada@acme.example" in shown
    assert "changewire account" not in shown


def test_no_price_is_invented_for_a_plan_without_one(browser):
    shown = browser.get("/plans").text

    assert "Ask your operator" in shown
    assert [price in shown for price in ("9.99", "49.99")] == [True, True]


def test_nobody_who_is_signed_in_is_asked_to_sign_in(ada):
    assert "Sign in" not in ada.get("/plans").text


@pytest.mark.parametrize("path", ["/app", "/app/"])
def test_the_head_of_the_private_pages_leads_to_the_keys(ada, path):
    assert ada.get(path, follow_redirects=True).request.path == HOME
