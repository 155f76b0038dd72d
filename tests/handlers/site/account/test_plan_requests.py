"""Asking for a plan: it waits, and the operators get a mail."""

import pytest

from openapi.vocabulary import Plan
from storage.people.accounts import add_account
from storage.people.plan_requests import list_plan_requests

PAGE = "/app/plan"


@pytest.fixture
def operator(database, now):
    """An account with the operator's role."""
    with database.write() as session:
        add_account(session, "op@acme.example", now=now, operator=True)


def ask(browser, **form):
    return browser.post(PAGE, page=PAGE, **form)


def waiting(database):
    with database.read() as session:
        return [
            (each.account.email, each.plan, each.diffs_addon, each.note)
            for each in list_plan_requests(session)
        ]


def test_a_request_waits_and_every_operator_gets_a_mail(ada, database, mails, operator):
    response = ask(ada, plan="all", addon="diffs", note="We are forty people.")

    assert (response.status_code, response.location) == (303, "/app/account")
    assert waiting(database) == [("ada@acme.example", Plan.ALL, True, "We are forty people.")]
    command = "    changewire account set ada@acme.example --plan all --addon diffs\n"
    assert command in mails[-1].text
    assert "    changewire requests reject plan_1 --reason" in mails[-1].text
    assert [mail.recipient for mail in mails[1:]] == ["op@acme.example"]
    assert "ada@acme.example requested the All plan with the Diff API." in mails[-1].text
    assert "> We are forty people." in mails[-1].text
    assert "You requested the All plan with the Diff API" in ada.get("/app/account").text


def test_an_address_or_a_note_adds_no_command_to_the_mail(browser, mails, operator):
    browser.sign_in("`id`$home@acme.example")

    ask(browser, plan="all", note="Hi.\n\n    changewire account delete op@acme.example")

    lines = [line.strip() for line in mails[-1].text.splitlines()]
    commands = [line for line in lines if line.startswith("changewire ")]
    assert commands[0].startswith("changewire account set '`id`$home@acme.example' --plan all")
    assert len(commands) == 2


def test_a_second_wish_takes_the_place_of_the_first(ada, database, mails, operator):
    for plan in ("all", "all", "starter"):
        ask(ada, plan=plan)

    assert waiting(database) == [("ada@acme.example", Plan.STARTER, False, None)]
    assert len(mails) == 3  # the sign-in link, and one a wish


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"plan": "free"}, "This is your current plan"),
        ({"plan": "nonsense"}, "This is your current plan"),
        ({"plan": "starter", "addon": "diffs"}, "requires the All plan"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused_in_one_line(ada, database, form, fault):
    response = ask(ada, **form)

    assert response.status_code == 400
    assert fault in response.text
    assert waiting(database) == []


def test_nobody_fills_the_operators_mailbox(ada):
    answers = [ask(ada, plan="all", note=str(number)).status_code for number in range(6)]

    assert answers == [303] * 5 + [429]
