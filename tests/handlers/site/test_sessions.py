"""Sessions: rows that live while they are used and end when they are told to."""

from dataclasses import replace

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from handlers.api.application import create_api
from handlers.site.app import create_site
from storage.models import WebSession


def cookie_of(browser, name="__Host-session"):
    found = browser.client.get_cookie(name, "changewire.example")
    return None if found is None else found.value


def set_cookies(answer, name):
    return [each for each in answer.headers.getlist("Set-Cookie") if each.startswith(f"{name}=")]


def test_over_https_the_cookie_is_bound_to_host_and_scheme(browser):
    (cookie,) = set_cookies(browser.sign_in(), "__Host-session")

    attributes = {part.strip().partition("=")[0] for part in cookie.split(";")[1:]}
    assert attributes == {"Secure", "HttpOnly", "Path", "SameSite", "Expires", "Max-Age"}
    assert "Path=/;" in cookie + ";"
    assert "SameSite=Lax" in cookie
    assert "Max-Age=2592000" in cookie


def test_over_http_the_cookie_has_a_plain_name(services, clock, mails, new_browser):
    plain = replace(services, now=clock, send_mail=mails.append, site_url="http://127.0.0.1:8080")
    browser = new_browser(base="http://127.0.0.1:8080")
    browser.client = create_site(plain, secret_key="another secret").test_client()

    (cookie,) = set_cookies(browser.sign_in(), "session")

    assert "HttpOnly" in cookie
    assert "Secure" not in cookie


def test_only_the_hash_of_the_cookie_is_stored(ada, database):
    with database.read() as session:
        assert session.scalar(select(WebSession.digest)) != cookie_of(ada)


def test_signing_in_gives_a_new_session_and_ends_the_old_one(ada, new_browser):
    before = cookie_of(ada)
    ada.ask("ada@acme.example", page="/app/account")

    ada.confirm(ada.mailed_link())

    assert cookie_of(ada) != before
    thief = new_browser()
    thief.client.set_cookie("__Host-session", before, domain="changewire.example")
    assert thief.get("/app/account").status_code == 303


def test_a_session_that_is_used_lives_on(ada, clock):
    for _ in range(4):
        clock.forward(days=29)
        response = ada.get("/app/account")

        assert response.status_code == 200
        assert set_cookies(response, "__Host-session")


@pytest.mark.parametrize(("visits", "days"), [(1, 30), (9, 20)], ids=["not used", "half a year"])
def test_a_session_ends_unused_after_thirty_days_and_used_after_half_a_year(
    ada, clock, visits, days
):
    statuses = []
    for _ in range(visits):
        clock.forward(days=days)
        statuses.append(ada.get("/app/account").status_code)

    assert statuses == [200] * (visits - 1) + [303]


def test_a_visit_soon_after_another_writes_nothing(ada, clock):
    clock.forward(minutes=4)

    assert not set_cookies(ada.get("/app/account"), "__Host-session")


def test_signing_out_ends_this_session_for_whoever_has_the_cookie_and_no_other(ada, new_browser):
    other = new_browser()
    other.sign_in()
    kept = cookie_of(ada)

    ada.post("/auth/sign-out", page="/app/account")

    assert cookie_of(ada) is None
    thief = new_browser()
    thief.client.set_cookie("__Host-session", kept, domain="changewire.example")
    assert thief.get("/app/account").status_code == 303
    assert other.get("/app/account").status_code == 200


def test_signing_out_everywhere_ends_them_all_and_nobody_elses(ada, new_browser):
    other, grace = new_browser(), new_browser()
    other.sign_in()
    grace.sign_in("grace@acme.example")

    ada.post("/auth/sign-out-everywhere", page="/app/account")

    statuses = [each.get("/app/account").status_code for each in (ada, other, grace)]
    assert statuses == [303, 303, 200]


@pytest.mark.parametrize("cookie", ["", "x", "x" * 5000, "ü", "a b", '"', "null"])
def test_a_made_up_cookie_is_nobody(browser, cookie):
    response = browser.get("/app/account", headers={"Cookie": f"__Host-session={cookie}"})

    assert response.status_code == 303


def test_the_cookie_opens_the_api_until_it_is_signed_out(ada, services, clock):
    headers = {"Cookie": f"__Host-session={cookie_of(ada)}"}
    with TestClient(
        create_api(replace(services, now=clock)), base_url="https://changewire.example"
    ) as api:
        before = api.get("/api/v1/sources?limit=1", headers=headers).json()
        ada.post("/auth/sign-out", page="/app/account")
        after = api.get("/api/v1/sources?limit=1", headers=headers).json()

    assert "sample" not in before
    assert after["sample"] is True
