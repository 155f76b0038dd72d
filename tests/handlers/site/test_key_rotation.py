"""The key that signs forms and cookies is changed as docs/operating.md tells it."""

from dataclasses import replace

import pytest

from handlers.site.app import create_site

OLD, NEW = "the old key, of thirty-two letters", "the new key, of thirty-two letters"


@pytest.fixture
def go_on(services, clock, mails):
    """Let a browser, with the cookies that it has, meet a server that was started anew."""
    made = replace(services, now=clock, send_mail=mails.append)

    def go_on(browser, key, before=None):
        site = create_site(made, secret_key=key, secret_key_before=before)
        cookies = browser.client._cookies
        browser.client = site.test_client()
        browser.client._cookies = cookies
        return browser

    return go_on


@pytest.fixture
def open_form(browser, go_on):
    """Sign in under a key and open a form: what sends it, and gives the status."""

    def open_form(key, before=None):
        go_on(browser, key, before).sign_in()
        page = browser.get("/app/account").text
        data = {"csrf_token": page.partition('name="csrf_token" value="')[2].partition('"')[0]}
        return lambda: (
            browser.client.post("/auth/sign-out", base_url=browser.base, data=data).status_code
        )

    return open_form


def test_an_open_form_is_accepted_while_the_old_key_is_named_and_signing_in_holds(
    browser, open_form, go_on
):
    send = open_form(OLD)
    go_on(browser, NEW, before=OLD)

    assert browser.get("/app/account").status_code == 200
    assert send() == 303


def test_afterwards_the_form_is_refused_and_signing_in_still_holds(browser, open_form, go_on):
    send = open_form(OLD)
    go_on(browser, NEW)

    assert send() == 400
    assert browser.get("/app/account").status_code == 200


def test_nothing_is_signed_with_the_old_key_any_more(browser, open_form, go_on):
    send = open_form(NEW, before=OLD)
    go_on(browser, NEW)

    assert send() == 303
