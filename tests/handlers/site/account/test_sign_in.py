"""Signing in: one mail, one link, one click."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from handlers.site.account.sign_in import FROM_EVERYWHERE, HOME, PER_ADDRESS, PER_CLIENT, local_path
from openapi.vocabulary import Plan
from storage.models import Account
from storage.people.accounts import add_account
from storage.people.sign_in import account_of, add_link, spend_link


def test_the_link_of_a_mail_signs_in_and_makes_a_free_account(browser, rows):
    browser.ask("Ada@Acme.example")
    before, link = rows(Account), browser.mailed_link()
    assert "sign in as ada@acme.example" in browser.get(link).text.casefold()
    response = browser.confirm(link)

    assert (response.status_code, response.location) == (303, "/app/sources")
    assert browser.get("/app/account").status_code == 200
    assert before == []
    assert [(each.email, each.plan) for each in rows(Account)] == [("ada@acme.example", Plan.FREE)]


def test_looking_at_a_link_does_not_spend_it(browser, new_browser):
    browser.ask()
    link = browser.mailed_link()

    for look in ("get", "head", "get"):
        getattr(new_browser().client, look)(link, base_url=browser.base)

    assert browser.confirm(link).status_code == 303


def used(browser, clock):
    browser.sign_in()
    return browser.mailed_link()


def sixteen_minutes_old(browser, clock):
    browser.ask()
    clock.forward(minutes=15)
    return browser.mailed_link()


@pytest.mark.parametrize("kind", [used, sixteen_minutes_old, lambda *_: "/auth/confirm?token=x"])
def test_a_link_that_is_no_longer_good_is_refused_in_the_same_words(
    browser, new_browser, clock, kind
):
    link = kind(browser, clock)
    stranger = new_browser()

    seen = stranger.get(link)
    pressed = stranger.post("/auth/confirm", page="/auth/login", token=link.partition("token=")[2])

    assert (seen.status_code, pressed.status_code) == (410, 410)
    assert "This link has expired" in seen.text
    assert '<a class="button" href="/auth/login">Get a new link</a>' in seen.text
    assert seen.text == pressed.text
    assert stranger.get("/app/account").status_code == 303


def test_of_parallel_clicks_exactly_one_gets_the_link(database, now):
    with database.write() as session:
        token = add_link(session, "ada@acme.example", next_path="/app/api-keys", now=now)

    def click(_):
        with database.write() as session:
            return spend_link(session, token, now=now) is not None

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(click, range(24))) == 1


def test_parallel_first_sign_ins_make_one_account(database, now):
    def enter(_):
        with database.write() as session:
            return account_of(session, "ada@acme.example", now=now).id

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(enter, range(16)))) == 1


@contextmanager
def statements(database):
    """Collect the SQL that runs."""
    seen = []

    def note(_connection, _cursor, statement, *_):
        seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    yield seen
    event.remove(database.engine, "before_cursor_execute", note)


def test_known_and_unknown_addresses_get_the_same_answer_for_the_same_work(
    new_browser, database, now
):
    with database.write() as session:
        add_account(session, "known@acme.example", now=now, plan=Plan.ALL)
    answers, work = [], []
    for email in ("known@acme.example", "nobody@acme.example"):
        with statements(database) as seen:
            answers.append(new_browser().ask(email))
        work.append(seen)

    first, second = answers
    assert (first.status_code, first.location) == (303, "/auth/sent")
    assert (first.status_code, first.location, first.data) == (
        second.status_code,
        second.location,
        second.data,
    )
    assert {name for name, _ in first.headers} == {name for name, _ in second.headers}
    assert work[0] == work[1]
    assert not [each for each in work[0] if "accounts" in each]


def from_address(browser, address):
    browser.client.environ_base["REMOTE_ADDR"] = address
    return browser


def test_requests_of_others_do_not_silence_somebody_who_asks_from_elsewhere(new_browser, mails):
    for _ in range(PER_ADDRESS[0].hits + 3):
        from_address(new_browser(), "203.0.113.9").ask("ada@acme.example")
    mails.clear()

    from_address(new_browser(), "198.51.100.7").ask("ada@acme.example")

    assert [mail.recipient for mail in mails] == ["ada@acme.example"]


def test_a_mailbox_is_not_flooded_from_many_clients(new_browser, mails):
    for number in range(FROM_EVERYWHERE[0].hits + 5):
        from_address(new_browser(), f"198.51.100.{number}").ask("ada@acme.example")

    assert len(mails) == FROM_EVERYWHERE[0].hits


def test_a_browser_that_signed_in_before_is_heard_when_everything_else_is_used_up(
    new_browser, mails
):
    own = new_browser()
    own.sign_in("ada@acme.example")
    own.post("/auth/sign-out", page="/app/api-keys")
    for number in range(FROM_EVERYWHERE[0].hits + 5):
        from_address(new_browser(), f"198.51.100.{number}").ask("ada@acme.example")
    for number in range(PER_CLIENT[0].hits + 1):
        new_browser().ask(f"p{number}@acme.example")
    mails.clear()

    answer = own.ask("ada@acme.example")

    assert answer.location == "/auth/sent"
    assert [mail.recipient for mail in mails] == ["ada@acme.example"]


def test_one_address_gets_five_links_however_it_is_written_and_then_silence(new_browser, mails):
    cases = ("ada@acme.example", "ADA@acme.example", "Ada@ACME.example")
    answers = {new_browser().ask(email).location for email in cases * 3}
    new_browser().ask("grace@acme.example")

    assert answers == {"/auth/sent"}
    assert len(mails) == PER_ADDRESS[0].hits + 1
    assert mails[-1].recipient == "grace@acme.example"


def test_a_client_that_asks_too_often_has_to_wait(browser, clock):
    assert browser.ask("not an address").status_code == 400
    for place in range(PER_CLIENT[0].hits - 1):
        assert browser.ask(f"p{place}@acme.example").status_code == 303
    clock.forward(milliseconds=400)

    refused = browser.ask("one-more@acme.example")
    clock.forward(seconds=int(refused.headers["Retry-After"]))

    assert refused.status_code == 429
    assert "Please try again in 1 minute." in refused.text
    assert browser.ask("one-more@acme.example").status_code == 303


@pytest.mark.parametrize(
    "written",
    [
        "",
        "ada",
        "ada@acme.example\nBcc: eve@evil.example",
        '"Ada" <ada@acme.example>',
        "a" * 400 + "@acme.example",
        "a" * 60 + f"@{'ΐ' * 45}.{'ΐ' * 45}.example",  # longer in the form that is stored
    ],
)
def test_what_is_not_one_plain_address_gets_no_mail(browser, mails, written):
    response = browser.ask(written)

    assert response.status_code == 400
    assert "Enter a valid email address" in response.text
    assert not mails


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}, {"Forwarded": "host=evil"}],
)
def test_links_are_built_from_the_configured_address_alone(browser, mails, headers):
    token = re.search(r'csrf_token" value="([^"]+)', browser.get("/auth/login").text)[1]
    form = {"email": "ada@acme.example", "csrf_token": token}
    client = browser.client
    client.set_cookie(
        "__Host-forms",
        client.get_cookie("__Host-forms", "changewire.example").value,
        domain="evil.example",
    )
    client.post("/auth/login", base_url=browser.base, data=form, headers=headers)

    assert "https://changewire.example/auth/confirm?token=" in mails[-1].text
    assert "evil" not in mails[-1].text


def test_the_wanted_page_is_kept_until_the_end(browser):
    sent_away = browser.get("/app/sources?q=acme")
    browser.ask(next="/app/sources?q=acme")

    assert sent_away.location == "/auth/login?next=/app/sources?q%3Dacme"
    assert browser.confirm(browser.mailed_link()).location == "/app/sources?q=acme"
    assert browser.get("/auth/login?next=/app/account").location == "/app/account"


HOSTILE = [
    *(None, "", "/", "//evil.example", "/\\evil.example", "/\n/evil.example"),
    *("https://evil.example", "javascript:alert(1)", "/app/#//evil.example", "/app/<script>"),
    *("/app/../..//evil.example", "/app/%252f%252fevil.example", "/app/%255cevil.example"),
    *("/app/\r\nLocation: x", "/app/%250d%250aSet-Cookie:a=b", "/app/%00", "/app/．．/x"),
    *("/auth/sign-out", "/sources.evil.example", "/app/" + "a" * 600),
]


@pytest.mark.parametrize("wanted", HOSTILE)
def test_a_path_that_could_lead_away_leads_to_the_own_list(wanted):
    assert local_path(wanted) == HOME


@pytest.mark.parametrize(
    "wanted",
    [
        "/sources/acme.compute/diffs/diff_1_2?view=words&from=25",
        "/following?category=breaking&vendor=acme",
        "/app/api-keys/0A1b2C3d4E5f/sources?q=%E6%97%A5",
    ],
)
def test_a_page_of_the_app_is_kept(wanted):
    assert local_path(wanted) == wanted


def test_a_known_browser_has_no_more_links_than_anybody_for_its_address(new_browser, mails):
    own = new_browser()
    own.sign_in("ada@acme.example")
    own.post("/auth/sign-out", page="/app/api-keys")
    mails.clear()

    for _ in range(PER_ADDRESS[0].hits + 3):
        own.ask("ada@acme.example")

    assert len(mails) == PER_ADDRESS[0].hits
