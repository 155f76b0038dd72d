"""The operator's area: who may enter, what waits, and that every action is recorded."""

import re

import pytest
from sqlalchemy import select

from openapi.vocabulary import Plan, RequestStatus
from storage.catalog.requests import find_request, move_request, save_findings
from storage.catalog.sources import ids_of
from storage.delivery.webhooks import WebhookSettings, add_webhook, find_webhook
from storage.models import FetchFacts, OperatorAction
from storage.models.webhooks import DisabledReason
from storage.people.accounts import find_account
from storage.people.plan_requests import ask_for_plan, waiting_requests

PAGES = ["", "/requests", "/requests?show=decided", "/plans", "/sources", "/webhooks", "/accounts"]
OFFER = {"adapter_type": "rss", "address": "https://hooli.example/feed.xml", "entries": 9}


def post(browser, path, **form):
    """Send a form of the operator's pages."""
    return browser.post(f"/operator{path}", page="/operator/accounts", **form)


def actions(database):
    with database.read() as session:
        query = select(OperatorAction.action, OperatorAction.subject).order_by(OperatorAction.id)
        return [tuple(row) for row in session.execute(query)]


def account_id(database, email="ada@acme.example"):
    with database.read() as session:
        return find_account(session, email).id


@pytest.mark.parametrize("path", PAGES)
def test_a_stranger_is_asked_to_sign_in_and_comes_back(browser, path):
    response = browser.get(f"/operator{path}")

    assert (response.status_code, "/auth/login?next=/operator" in response.location) == (303, True)


@pytest.mark.parametrize("path", PAGES)
def test_for_a_customer_there_is_no_such_page(ada, path):
    assert ada.get(f"/operator{path}").status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/plans/1/grant", "/accounts/1/plan", "/sources/acme.mail/remove", "/requests/x/accept"],
)
def test_a_customer_can_do_nothing_there(ada, path):
    response = ada.post(f"/operator{path}", page="/app/account", plan="all", slug="acme.mail")

    assert response.status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_an_operator_sees_each_page_and_nobody_keeps_it(op, path):
    response = op.get(f"/operator{path}")

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "private, no-store"


def test_a_form_of_another_site_is_refused(op, database, ada):
    response = op.client.post(
        f"/operator/accounts/{account_id(database)}/plan",
        base_url=op.base,
        data={"plan": "all"},
        headers={"Origin": "https://evil.example"},
    )

    assert response.status_code == 403


def test_a_plan_is_granted_with_a_mail_and_recorded(op, ada, database, mails, now):
    with database.write() as session:
        owner = find_account(session, "ada@acme.example").id
        ask_for_plan(session, owner, plan=Plan.ALL, diffs_addon=True, note="<b>please</b>", now=now)
        (waiting,) = waiting_requests(session)
        id_ = waiting.id
    shown = op.get("/operator/plans").text

    response = post(op, f"/plans/{id_}/grant", reason="Welcome!")

    assert "&lt;b&gt;please&lt;/b&gt;" in shown
    assert response.status_code == 303
    with database.read() as session:
        account = find_account(session, "ada@acme.example")
        assert (account.plan, account.diffs_addon) == (Plan.ALL, True)
        assert not waiting_requests(session)
    assert mails[-1].recipient == "ada@acme.example"
    assert "the All plan with the Diff API" in mails[-1].text
    assert "Welcome!" in mails[-1].text
    assert actions(database) == [("plan granted", f"account {owner}: all+diffs")]


def test_a_plan_is_refused_with_a_reason_and_stays_as_it_was(op, ada, database, mails, now):
    with database.write() as session:
        owner = find_account(session, "ada@acme.example").id
        ask_for_plan(session, owner, plan=Plan.ALL, diffs_addon=False, note=None, now=now)
        id_ = waiting_requests(session)[0].id

    post(op, f"/plans/{id_}/refuse", reason="Not before May.")
    again = post(op, f"/plans/{id_}/grant")

    assert "Not before May." in mails[-1].text
    with database.read() as session:
        assert find_account(session, "ada@acme.example").plan is Plan.FREE
    assert again.status_code == 303
    assert "was decided already" in op.get("/operator/plans").text
    assert [action for action, _ in actions(database)] == ["plan refused"]


def test_a_request_is_checked_as_the_command_does_it(op, wish, checked, database):
    id_ = wish()

    post(op, f"/requests/{id_}/check")

    assert checked == [id_]
    assert actions(database) == [("request checked", id_)]


@pytest.fixture
def reviewed(wish, database, now):
    """A request whose check found a feed."""
    id_ = wish()
    with database.write() as session:
        request = find_request(session, id_)
        move_request(session, request, RequestStatus.CHECKING, now=now)
        save_findings(session, request, {"offers": [OFFER], "troubles": ["<i>odd</i>"]})
        move_request(session, request, RequestStatus.NEEDS_REVIEW, now=now)
    return id_


def test_a_request_becomes_a_source(op, reviewed, database):
    shown = op.get(f"/operator/requests/{reviewed}").text

    response = post(op, f"/requests/{reviewed}/accept", slug="hooli.log", name="Log", tags="cloud")

    assert "&lt;i&gt;odd&lt;/i&gt;" in shown
    assert response.status_code == 303
    with database.read() as session:
        assert find_request(session, reviewed).status is RequestStatus.ACCEPTED
        assert "hooli.log" in ids_of(session, ["hooli.log"])
    assert actions(database) == [("request accepted", reviewed)]


@pytest.mark.parametrize(
    ("form", "fault"),
    [
        ({"slug": "hooli.log", "name": "Log", "tags": "no-such"}, "tags are unknown"),
        ({"slug": "hooli", "name": "Log", "tags": "cloud"}, "slug"),
        ({"slug": "acme.mail", "name": "Log", "tags": "cloud"}, "has a source acme.mail already"),
        ({"slug": "hooli.log", "name": "Log", "tags": "cloud", "offer": "7"}, "no offer 7"),
    ],
)
def test_a_row_that_no_catalog_takes_is_refused_and_nothing_is_recorded(
    op, reviewed, database, form, fault
):
    response = post(op, f"/requests/{reviewed}/accept", **form)

    assert (response.status_code, fault in response.text) == (400, True)
    assert actions(database) == []


def test_a_request_is_rejected_with_a_reason(op, wish, database):
    id_ = wish()

    without = post(op, f"/requests/{id_}/reject", reason=" ")
    post(op, f"/requests/{id_}/reject", reason="a login page")

    assert without.status_code == 400
    with database.read() as session:
        request = find_request(session, id_)
        assert (request.status, request.reason) == (RequestStatus.REJECTED, "a login page")
    assert actions(database) == [("request rejected", id_)]


@pytest.fixture
def failing(database, now):
    """A source that cannot be read, and whose vendor asks for nothing."""
    with database.write() as session:
        id_ = ids_of(session, ["acme.mail"])["acme.mail"]
        facts = session.get_one(FetchFacts, id_)
        facts.failures, facts.last_failure, facts.first_failed_at = 4, "forbidden", now
        facts.last_message, facts.last_attempt_at = "403 <script>alert(1)</script>", now
    return id_


def test_failing_sources_are_listed_by_reason_and_explained(op, failing):
    overview = op.get("/operator").text
    listed = op.get("/operator/sources?reason=forbidden").text
    other = op.get("/operator/sources?reason=gone").text
    explained = op.get("/operator/sources/acme.mail").text

    assert 'href="/operator/sources?reason=forbidden">Forbidden' in overview
    assert "/operator/sources/acme.mail" in listed
    assert "/operator/sources/acme.mail" not in other
    assert "&lt;script&gt;alert(1)" in listed
    assert "It is " in explained
    assert "<script>alert" not in listed + explained


def test_a_source_is_checked_next_unless_its_vendor_asks_to_wait(op, failing, database, now, clock):
    post(op, "/sources/acme.mail/check")
    with database.write() as session:
        facts = session.get_one(FetchFacts, failing)
        due_at = facts.next_check_at
        facts.retry_after_at = now.replace(year=2027)

    post(op, "/sources/acme.mail/check")

    assert due_at == now
    assert "asks to be left alone" in op.get("/operator/sources/acme.mail").text
    assert actions(database) == [("source due at once", "acme.mail")]


def test_a_source_is_removed_only_if_its_slug_is_typed(op, database):
    wrong = post(op, "/sources/acme.mail/remove", slug="acme.male")
    right = post(op, "/sources/acme.mail/remove", slug="acme.mail")

    assert (wrong.status_code, right.status_code) == (400, 303)
    with database.read() as session:
        assert ids_of(session, ["acme.mail"]) == {}
    assert actions(database) == [("source removed", "acme.mail")]


def test_accounts_are_found_and_their_plan_is_set(op, ada, database):
    id_ = account_id(database)

    found = op.get("/operator/accounts?q=ADA").text
    nobody = op.get("/operator/accounts?q=%25").text
    post(op, f"/accounts/{id_}/plan", plan="starter")

    assert f"/operator/accounts/{id_}" in found
    assert f"/operator/accounts/{id_}" not in nobody
    with database.read() as session:
        assert find_account(session, "ada@acme.example").plan is Plan.STARTER
    assert actions(database) == [("plan set", f"account {id_}: starter")]


def test_a_leaked_key_is_revoked(op, ada, database, client):
    key = ada.new_key()
    public_id = key.split("_")[1]

    post(op, f"/accounts/{account_id(database)}/keys/{public_id}/revoke")

    assert client.get("/api/v1/sources", headers={"X-Api-Key": key}).status_code == 401
    assert actions(database) == [("key revoked", f"cw_{public_id}")]


def test_an_account_is_deleted_if_its_address_is_typed_and_never_ones_own(op, ada, database):
    id_, own = account_id(database), account_id(database, "op@acme.example")

    answers = [
        post(op, f"/accounts/{id_}/delete", email="somebody@acme.example"),
        post(op, f"/accounts/{own}/delete", email="op@acme.example"),
        post(op, f"/accounts/{id_}/delete", email="Ada@acme.example"),
    ]

    assert [answer.status_code for answer in answers] == [400, 400, 303]
    with database.read() as session:
        assert find_account(session, "ada@acme.example") is None
        assert find_account(session, "op@acme.example") is not None
    assert actions(database) == [("account deleted", f"account {id_}")]


@pytest.fixture
def webhook(ada, database, now):
    """The id of a webhook of ada's that fails."""
    with database.write() as session:
        owner = find_account(session, "ada@acme.example").id
        settings = WebhookSettings("<u>chat</u>", "https://hooks.example/x", None, False)
        webhook = add_webhook(session, owner, settings, now=now)
        webhook.failures, webhook.failing_since = 3, now
        return webhook.public_id


def test_a_webhook_in_trouble_is_switched_off_and_on(op, webhook, database):
    listed = op.get("/operator/webhooks").text
    post(op, f"/webhooks/{webhook}/off")
    with database.read() as session:
        reason = find_webhook(session, webhook).disabled_reason
    refused = post(op, f"/webhooks/{webhook}/again")
    post(op, f"/webhooks/{webhook}/on")

    assert "&lt;u&gt;chat&lt;/u&gt;" in listed
    assert "https://hooks.example" not in listed
    assert reason is DisabledReason.OPERATOR
    assert refused.status_code == 303
    with database.read() as session:
        assert find_webhook(session, webhook).disabled_at is None
    assert actions(database) == [
        ("webhook switched off", webhook),
        ("webhook switched on", webhook),
    ]


def test_what_was_done_is_told_even_when_its_doer_is_gone(op, ada, database):
    post(op, f"/accounts/{account_id(database)}/plan", plan="all")
    told = op.get("/operator").text
    with database.write() as session:
        find_account(session, "ada@acme.example").operator = True
    op.post("/app/account/delete", page="/app/account", email="op@acme.example")

    later = ada.get("/operator").text

    assert re.search(
        r"Plan set</td><td[^>]*><code>account \d+: all</code></td><td[^>]*>op@acme.example", told
    )
    assert "an account that is gone" in later


def test_no_mail_address_is_recorded(op, ada, database):
    id_ = account_id(database)
    post(op, f"/accounts/{id_}/plan", plan="all")
    post(op, f"/accounts/{id_}/delete", email="ada@acme.example")

    assert all("@" not in subject for _, subject in actions(database))


@pytest.mark.parametrize(
    "path",
    [
        "/requests/nobody",
        "/sources/no.such",
        "/webhooks/nobody",
        "/accounts/99999",
        "/accounts/99999999999999999999999",
    ],
)
def test_what_is_not_there_is_not_found(op, path):
    assert op.get(f"/operator{path}").status_code == 404
