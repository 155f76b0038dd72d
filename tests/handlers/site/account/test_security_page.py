"""Sessions, a recent sign-in, and the log of what happened to an account."""

import pytest
from sqlalchemy import func, select

from handlers.site.account.browsers import browser_name
from handlers.site.session import OFFERED_WITHIN, TAKEN_WITHIN
from storage.delivery.webhooks import disable_webhook
from storage.models import AccountEvent, Webhook, WebSession
from storage.models.people import AccountEventKind
from storage.models.webhooks import DisabledReason
from storage.people.account_events import BY_SERVICE, KEPT_OF_A_KIND, newest_events, note_event
from storage.people.accounts import add_account
from storage.people.sessions import SESSIONS_PER_ACCOUNT, add_session, list_sessions

PAGE = "/app/security"
FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
SAFARI = {
    "User-Agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 "
    "(KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
}


@pytest.fixture
def events(rows):
    """Return the events of all accounts, oldest first: kind, who, subject."""
    return lambda: [
        (each.kind.value, each.actor.value, each.subject) for each in rows(AccountEvent)
    ]


def digests(database):
    with database.read() as session:
        return list(session.scalars(select(WebSession.digest).order_by(WebSession.created_at)))


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
            "Edge on Windows",
        ),
        ("<script>alert(1)</script>" * 900, "Unknown browser"),
    ],
)
def test_a_browser_is_named_as_its_owner_would(agent, name):
    assert browser_name(agent) == name


def test_one_session_can_be_ended_and_the_others_stay(new_browser, clock, database, events):
    lost, own = new_browser(headers=SAFARI), new_browser(headers=FIREFOX)
    lost.sign_in()
    clock.forward(minutes=1)
    own.sign_in()
    shown = own.get(PAGE).text

    assert [each in shown for each in ("Firefox on Linux", "Safari on iPhone")] == [True, True]
    assert (shown.count("This browser"), "from 127.0.0.1" in shown) == (1, True)
    response = own.post(f"{PAGE}/sessions/{digests(database)[0]}/end", page=PAGE)

    assert response.status_code == 303
    assert "Session ended." in own.get(PAGE).text
    assert [each.get("/app/account").status_code for each in (lost, own)] == [303, 200]
    assert ("signed_out", "owner", "Safari on iPhone") in events()


def test_nobody_ends_the_session_of_another_account(ada, new_browser, clock, database):
    clock.forward(minutes=1)
    eve = new_browser()
    eve.sign_in("eve@acme.example")

    eve.post(f"{PAGE}/sessions/{digests(database)[0]}/end", page=PAGE)

    assert ada.get(PAGE).status_code == 200


def test_this_session_is_ended_by_signing_out(ada, database):
    assert ada.post(f"{PAGE}/sessions/{digests(database)[0]}/end", page=PAGE).status_code == 400
    assert ada.get(PAGE).status_code == 200


def test_the_session_used_longest_ago_gives_way(database, now):
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now)
        for _ in range(SESSIONS_PER_ACCOUNT + 3):
            add_session(session, account, now=now)
        session.flush()
        assert len(list_sessions(session, account.id, now=now)) == SESSIONS_PER_ACCOUNT


def test_keys_but_not_their_end_ask_for_a_sign_in_as_recent_as_a_form_just_offered(ada, clock):
    form = {"name": "ci", "scope": "read:entries", "expiry": ""}
    clock.forward(seconds=OFFERED_WITHIN.total_seconds() - 1)
    assert "Create key" in ada.get("/app/api-keys").text
    clock.forward(seconds=2)
    assert "Create key" not in ada.get("/app/api-keys").text
    assert ada.post("/app/api-keys", page="/app/api-keys", **form).status_code == 201
    public_id = ada.get("/app/api-keys").text.partition("cw_")[2][:12]
    clock.forward(seconds=(TAKEN_WITHIN - OFFERED_WITHIN).total_seconds())

    answers = [
        ada.post("/app/api-keys", page="/app/api-keys", **form),
        ada.post(f"/app/api-keys/{public_id}/rotate", page="/app/api-keys"),
        ada.post("/app/account/delete", page="/app/api-keys", email="ada@acme.example"),
    ]

    assert [each.location for each in answers] == [
        "/auth/again?next=/app/api-keys",
        "/auth/again?next=/app/api-keys",
        "/auth/again?next=/app/account",
    ]
    assert ada.get("/app/account").status_code == 200
    revoked = ada.post(f"/app/api-keys/{public_id}/revoke", page="/app/api-keys")
    assert revoked.location == "/app/api-keys"


def test_confirming_that_it_is_you_leads_back(ada, clock):
    clock.forward(hours=3)
    page = ada.get("/auth/again?next=/app/api-keys").text
    assert "ada@acme.example" in page

    ada.ask("ada@acme.example", next="/app/api-keys", page="/auth/again")

    assert ada.confirm(ada.mailed_link()).location == "/app/api-keys"
    assert "Create key" in ada.get("/app/api-keys").text


def test_the_log_has_what_the_owner_did(ada, events):
    public_id = ada.new_key().split("_")[1]
    ada.post(f"/app/api-keys/{public_id}/rotate", page="/app/api-keys")
    ada.post(f"/app/api-keys/{public_id}/revoke", page="/app/api-keys")
    ada.post("/app/plan", page="/app/plan", plan="all")
    ada.get("/app/sources.opml")
    ada.post("/app/filters/feeds", page="/app/filters")
    ada.post("/app/account/delete", page="/app/account", email="wrong@acme.example")
    ada.post("/auth/sign-out-everywhere", page="/app/account")

    key = f"report (cw_{public_id}_…)"
    assert events() == [
        ("signed_in", "owner", ""),
        ("key_made", "owner", key),
        ("key_rotated", "owner", key),
        ("key_revoked", "owner", key),
        ("plan_asked", "owner", "the All plan"),
        ("exported", "owner", "Changewire: following"),
        ("feed_made", "owner", ""),
        ("deletion_asked", "owner", ""),
        ("signed_out_all", "owner", ""),
    ]


def test_the_log_has_what_happens_to_webhooks(ada, events, database, now):
    form = {"name": "chat", "url": "https://hooks.acme.example/x"}
    assert ada.post("/app/webhooks", page="/app/webhooks", **form).status_code == 201
    with database.read() as session:
        public_id, id_ = session.execute(select(Webhook.public_id, Webhook.id)).one()
    there = f"/app/webhooks/{public_id}"
    for change in ("secret", "off", "on"):
        ada.post(f"{there}/{change}", page=there)
    with database.write() as session:
        disable_webhook(session, id_, DisabledReason.GONE, now=now)
    ada.post(f"{there}/delete", page=there)

    assert events()[1:] == [
        ("webhook_made", "owner", "chat"),
        ("webhook_rotated", "owner", "chat"),
        ("webhook_off", "owner", "chat"),
        ("webhook_on", "owner", "chat"),
        ("webhook_off", "service", "chat"),
        ("webhook_deleted", "owner", "chat"),
    ]
    shown = ada.get(PAGE).text
    assert [each for each in ("Webhook created", "by Changewire") if each not in shown] == []


def test_the_log_is_bounded_and_one_kind_drives_out_no_other(database, now):
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now)
        other = add_account(session, "bob@acme.example", now=now)
        ada = account.id
        for owner in (account, other):
            kind = AccountEventKind.SIGNED_IN
            note_event(session, owner.id, kind, "", by=BY_SERVICE, now=now)
        for number in range(KEPT_OF_A_KIND + 7):
            kind = AccountEventKind.EXPORTED
            note_event(session, account.id, kind, str(number), by=BY_SERVICE, now=now)

    with database.read() as session:
        kept = newest_events(session, ada, most=1000)
        total = session.scalar(select(func.count()).select_from(AccountEvent))
    assert [each.subject for each in kept][-2:] == ["7", ""]
    assert (len(kept), total) == (KEPT_OF_A_KIND + 1, KEPT_OF_A_KIND + 2)
