"""Plan requests as the operator lists, approves and declines them by commands."""

import json
from datetime import UTC, datetime
from email import message_from_bytes, policy

import pytest

from openapi.vocabulary import Plan
from storage.catalog.requests import add_request
from storage.engine.database import open_database
from storage.people.accounts import find_account
from storage.people.plan_requests import ask_for_plan, plan_request_id


@pytest.fixture
def outbox(monkeypatch, tmp_path):
    """The mails that were sent, oldest first: recipient, subject and text."""
    folder = tmp_path / "outbox"
    monkeypatch.setenv("CHANGEWIRE_OUTBOX", str(folder))

    def outbox():
        files = sorted(folder.glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        mails = [message_from_bytes(file.read_bytes(), policy=policy.default) for file in files]
        return [(mail["To"], mail["Subject"], mail.get_content()) for mail in mails]

    return outbox


@pytest.fixture
def database(run, database_url):
    run("account", "create", "ada@acme.example")
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def request_plan(database):
    """Store Ada's request for a plan; returns its id."""

    def request_plan(plan=Plan.ALL, *, diffs_addon=False):
        now = datetime(2026, 11, 20, 9, tzinfo=UTC)
        with database.write() as session:
            owner = find_account(session, "ada@acme.example").id
            terms = {"plan": plan, "diffs_addon": diffs_addon}
            return plan_request_id(ask_for_plan(session, owner, **terms, note="Soon.", now=now))

    return request_plan


def listed(run, *options):
    return json.loads(run("requests", "list", *options, "--json")[1])


def test_requests_for_sources_and_plans_are_one_list_by_age(run, database, request_plan):
    with database.write() as session:
        for url, day in (("https://a.example/old", 1), ("https://a.example/new", 25)):
            at = datetime(2026, 11, day, tzinfo=UTC)
            add_request(session, url=url, note=None, now=at)
    id_ = request_plan(diffs_addon=True)

    old, plan, new = listed(run)

    assert (old["url"], new["url"]) == ("https://a.example/old", "https://a.example/new")
    assert plan == {
        "id": id_,
        "kind": "plan",
        "status": "pending",
        "created_at": "2026-11-20T09:00:00Z",
        "account": "ada@acme.example",
        "plan": "all",
        "diffs_addon": True,
        "note": "Soon.",
        "reason": None,
    }
    assert "\tall plan for ada@acme.example with the Diff API\tSoon." in run("requests", "list")[1]


def test_setting_the_requested_plan_approves_the_request_and_mails_its_owner(
    run, request_plan, outbox
):
    id_ = request_plan(diffs_addon=True)

    status, _, err = run("account", "set", "ada@acme.example", "--plan", "all", "--addon", "diffs")

    assert (status, "Mail to ada@acme.example" in err) == (0, True)
    ((recipient, subject, text),) = outbox()
    assert (recipient, subject) == ("ada@acme.example", "Your plan request was approved")
    assert "the All plan with the Diff API" in text
    assert [row["id"] for row in listed(run, "--status", "accepted")] == [id_]
    assert listed(run, "--status", "pending") == []


def test_setting_another_plan_declines_the_request_and_says_what_the_account_has(
    run, request_plan, outbox
):
    request_plan(Plan.ALL)

    run("account", "set", "ada@acme.example", "--plan", "starter")

    ((_, subject, text),) = outbox()
    assert (subject, "Starter plan" in text) == ("Your plan request was declined", True)
    assert [row["status"] for row in listed(run)] == ["rejected"]


def test_a_declined_request_is_mailed_with_its_reason_and_stays_declined(run, request_plan, outbox):
    id_ = request_plan()

    first = run("requests", "reject", id_, "--reason", "Not before May.")
    status, _, err = run("requests", "reject", id_, "--reason", "again")

    assert first[0] == 0, first[2]
    assert (status, "already decided" in err) == (1, True)
    ((_, subject, text),) = outbox()
    assert (subject, "\nNot before May.\n" in text) == ("Your plan request was declined", True)
    (row,) = listed(run)
    assert (row["status"], row["reason"]) == ("rejected", "Not before May.")


def test_a_mail_that_cannot_be_sent_is_reported_and_the_decision_stays(
    run, request_plan, monkeypatch, unused_port
):
    id_ = request_plan()
    monkeypatch.setenv("CHANGEWIRE_SMTP_URL", f"smtp://127.0.0.1:{unused_port}")
    monkeypatch.setenv("CHANGEWIRE_MAIL_FROM", "changes@acme.example")

    status, _, err = run("requests", "reject", id_, "--reason", "no")

    assert (status, "got no email" in err) == (1, True)
    assert [row["status"] for row in listed(run)] == ["rejected"]
