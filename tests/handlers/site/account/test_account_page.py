"""The account page: what the plan gives, costs, and how much of it is used."""

import pytest

from handlers.site.account.destinations import HOME
from openapi.vocabulary import Plan

PAGE = "/app/account"


@pytest.mark.parametrize(
    ("plan", "addon", "said"),
    [
        (Plan.FREE, False, ["Your plan: Free", "3 sources of your choice", "0 a month"]),
        (Plan.STARTER, False, ["Your plan: Starter", "10 sources of your choice"]),
        (Plan.ALL, False, ["Your plan: All", "The whole catalog: 18 sources", "9.99 a month"]),
        (Plan.ALL, True, ["Diffs of every source", "$9.99 a month, the Diff API $49.99 a month"]),
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

    assert "The operator of this service sets plans." in shown
    assert 'href="/plans">Compare plans' in shown
    assert "changewire account" not in shown


@pytest.mark.parametrize("path", ["/app", "/app/"])
def test_the_head_of_the_private_pages_leads_where_a_sign_in_does(ada, path):
    assert ada.get(path, follow_redirects=True).request.path == HOME


def delete(browser, **form):
    return browser.post(f"{PAGE}/delete", page=PAGE, **form)


def test_an_account_is_deleted_with_all_that_is_its_own(ada, new_browser, client):
    key = ada.new_key()
    elsewhere = new_browser()
    elsewhere.sign_in()
    before = client.get("/api/v1/sources?selected=1", headers={"X-Api-Key": key}).status_code

    response = delete(ada, email=" Ada@ACME.example ")

    after = client.get("/api/v1/sources?selected=1", headers={"X-Api-Key": key}).status_code
    assert (response.status_code, response.location) == (303, "/")
    assert (before, after) == (200, 401)
    assert "Your account is deleted" in ada.get("/").text
    for browser in (ada, elsewhere):
        assert browser.get(PAGE).location.startswith("/auth/login")


def test_the_cookie_of_a_deleted_account_is_taken_back(ada):
    cookies = [
        each
        for each in delete(ada, email="ada@acme.example").headers.getlist("Set-Cookie")
        if "session" in each
    ]

    assert ["Max-Age=0" in cookie for cookie in cookies] == [True]


@pytest.mark.parametrize("form", [{}, {"email": ""}, {"email": "grace@acme.example"}])
def test_an_account_is_kept_without_its_address(ada, form):
    response = delete(ada, **form)

    assert response.status_code == 400
    assert "It was not deleted" in response.text
    assert '<details class="quiet" open>' in response.text
    assert "autofocus" in response.text
    assert ada.get(PAGE).status_code == 200


def test_an_account_is_kept_when_the_form_comes_from_elsewhere(ada):
    form = {"email": "ada@acme.example"}
    response = ada.client.post(f"{PAGE}/delete", base_url=ada.base, data=form)

    assert response.status_code == 400
    assert ada.get(PAGE).status_code == 200


def test_a_stranger_who_would_delete_is_asked_to_sign_in(browser):
    response = delete(browser, email="ada@acme.example")

    assert response.status_code == 303
    assert response.location.startswith("/auth/login")


def test_who_signs_in_again_has_an_account_that_begins_anew(ada, set_plan):
    set_plan(Plan.ALL)
    ada.new_key()
    delete(ada, email="ada@acme.example")

    ada.sign_in()

    shown = ada.get(PAGE).text
    assert "Your plan: Free" in shown
    assert "0 of 10 API keys" in shown
