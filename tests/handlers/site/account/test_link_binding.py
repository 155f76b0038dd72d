"""A link signs in the browser that asked for it; its code, typed in there, does the same."""

import re

import pytest
from sqlalchemy import select

from handlers.site.account.sign_in import OF_CODES
from storage.models import SignInLink
from storage.people.credentials import code_in, new_code
from storage.people.sign_in import add_link

CODE = re.compile(r"^[0-9A-Z]{4}-[0-9A-Z]{4}$", re.MULTILINE)


def mailed_code(mails):
    return CODE.search(mails[-1].text)[0]


def type_code(browser, code):
    return browser.post("/auth/code", page="/auth/sent", code=code)


def test_who_opens_the_link_in_another_browser_is_told_so_and_not_signed_in(browser, new_browser):
    browser.ask("ada@acme.example")
    link, other = browser.mailed_link(), new_browser()

    shown = other.get(link)
    pressed = other.post("/auth/confirm", page=link, token=link.partition("token=")[2])

    assert "This link was requested in another browser" in shown.text
    assert "Sign in as" not in shown.text
    assert pressed.status_code == 410
    assert other.get("/app/account").status_code == 303
    assert browser.confirm(link).status_code == 303


def test_the_other_browser_can_have_a_link_of_its_own(browser, new_browser, mails):
    browser.ask("ada@acme.example", next="/app/account")
    link, other = browser.mailed_link(), new_browser()

    form = dict(re.findall(r'name="(email|next)" value="([^"]*)"', other.get(link).text))
    other.post("/auth/login", page=link, **form)

    assert other.confirm(other.mailed_link()).location == "/app/account"
    assert mails[-1].recipient == "ada@acme.example"


@pytest.mark.parametrize("write", [str, str.lower, lambda code: f"  {code.replace('-', ' ')} "])
def test_the_code_signs_in_the_browser_that_asked(browser, mails, write):
    browser.ask("ada@acme.example", next="/app/account")

    response = type_code(browser, write(mailed_code(mails)))

    assert (response.status_code, response.location) == (303, "/app/account")
    assert browser.get("/app/account").status_code == 200
    assert browser.client.get_cookie("__Host-asking", "changewire.example") is None


def test_the_code_is_worth_nothing_in_another_browser(browser, new_browser, mails):
    browser.ask("ada@acme.example")
    code, thief = mailed_code(mails), new_browser()

    without = type_code(thief, code)
    thief.ask("eve@acme.example")
    with_link_of_its_own = type_code(thief, code)

    assert (without.status_code, with_link_of_its_own.status_code) == (410, 400)
    assert thief.get("/app/account").status_code == 303


def test_link_and_code_work_once_together(browser, mails):
    browser.ask("ada@acme.example")
    link, code = browser.mailed_link(), mailed_code(mails)
    cookie = browser.client.get_cookie("__Host-asking", "changewire.example").value
    type_code(browser, code)
    browser.client.set_cookie("__Host-asking", cookie, domain="changewire.example")

    assert browser.get(link).status_code == 410
    assert browser.post("/auth/code", page="/app/account", code=code).status_code == 410


@pytest.mark.parametrize("code", ["", "AAAA", "AAAA-AAA!", "UUUU-UUUU", "x" * 5000])
def test_what_is_no_code_is_said_to_be_none(browser, code):
    browser.ask()

    response = type_code(browser, code)

    assert response.status_code == 400
    assert "Wrong code" in response.text


def test_codes_cannot_be_guessed_for_long(browser, mails):
    browser.ask()
    for _ in range(OF_CODES[0].hits):
        assert type_code(browser, "0000-0000").status_code == 400

    assert type_code(browser, mailed_code(mails)).status_code == 429


def test_two_links_of_one_browser_both_work(browser):
    browser.ask("ada@acme.example")
    first = browser.mailed_link()
    browser.ask("ada@acme.example")

    assert browser.confirm(first).status_code == 303


def test_a_link_that_the_operator_made_works_anywhere(browser, database, now):
    with database.write() as session:
        token = add_link(session, "ada@acme.example", next_path="/app/account", now=now)

    response = browser.confirm(f"/auth/confirm?token={token}")

    assert response.location == "/app/account"


def test_neither_link_nor_browser_nor_code_is_stored_as_it_is(browser, mails, database):
    browser.ask()
    cookie = browser.client.get_cookie("__Host-asking", "changewire.example").value

    with database.read() as session:
        link = session.scalar(select(SignInLink))
        stored = [str(getattr(link, column.name)) for column in SignInLink.__table__.columns]

    token = browser.mailed_link().partition("token=")[2]
    assert not {cookie, mailed_code(mails), token} & set(stored)
    assert None not in (link.browser, link.code)


def test_every_new_code_is_read_back():
    for _ in range(50):
        code = new_code()
        assert code_in(code.replace("0", "o").replace("1", "l").lower()) == code
