"""The account page: what the plan gives, costs, and how much of it is used."""

import pytest

from handlers.site.account.sign_in import HOME
from openapi.vocabulary import Plan

PAGE = "/app/account"


@pytest.mark.parametrize(
    ("plan", "addon", "said"),
    [
        (Plan.FREE, False, ["Your plan: Free", "0 a month", "7 more sources (10 in total)"]),
        (
            Plan.ALL,
            False,
            ["The whole catalog: 18 sources", "Every edit after publication, before and after"],
        ),
        (Plan.ALL, True, ["Diffs of every source", "$9.99 a month, the Diff API $49.99 a month"]),
        (Plan.FREE, True, ["inactive until you are on the All plan"]),
    ],
)
def test_each_plan_says_what_it_gives_and_costs_and_what_a_bigger_one_would_add(
    ada, set_plan, plan, addon, said
):
    set_plan(plan, diffs_addon=addon)

    shown = ada.get(PAGE).text

    assert [each for each in said if each not in shown] == []
    assert ("Upgrades" in shown) == (not (plan is Plan.ALL and addon))


@pytest.mark.parametrize("path", ["/app", "/app/"])
def test_the_head_of_the_private_pages_leads_where_a_sign_in_does(ada, path):
    assert ada.get(path, follow_redirects=True).request.path == HOME


def delete(browser, **form):
    return browser.post(f"{PAGE}/delete", page=PAGE, **form)


def test_an_account_is_deleted_with_all_that_is_its_own(ada, new_browser, client, mails):
    key = ada.new_key()
    elsewhere = new_browser()
    elsewhere.sign_in()
    before = client.get("/api/v1/sources?selected=1", headers={"X-Api-Key": key}).status_code

    response = delete(ada, email=" Ada@ACME.example ")

    after = client.get("/api/v1/sources?selected=1", headers={"X-Api-Key": key}).status_code
    assert (response.status_code, response.location) == (303, "/")
    assert (before, after) == (200, 401)
    assert ada.client.get_cookie("__Host-session", "changewire.example") is None
    assert "Account deleted" in ada.get("/").text
    assert (mails[-1].recipient, "has been deleted" in mails[-1].subject) == (
        "ada@acme.example",
        True,
    )
    for browser in (ada, elsewhere):
        assert browser.get(PAGE).location.startswith("/auth/login")


@pytest.mark.parametrize("form", [{}, {"email": ""}, {"email": "grace@acme.example"}])
def test_an_account_is_kept_without_its_address(ada, form):
    response = delete(ada, **form)

    assert response.status_code == 400
    assert "was not deleted" in response.text
    assert '<details class="quiet" open>' in response.text
    assert "autofocus" in response.text
    assert ada.get(PAGE).status_code == 200
