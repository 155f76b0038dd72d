"""Webhooks by the API: made, tested, rotated and deleted once, however often a request is sent."""

from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from handlers.api.application import create_api
from openapi.vocabulary import Plan, Scope
from storage.delivery.webhooks import disable_webhook, find_webhook
from storage.models import Account, Delivery, IdempotentAnswer, Webhook
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.people.idempotency import KEPT
from storage.people.keys import add_key, find_key, revoke_key
from storage.people.saved_filters import add_filter

HOOK = {"name": "ours", "url": "https://hooks.acme.example/1"}
NOT_FOUND = (404, "not_found")


@pytest.fixture
def post(client, new_key):
    """Send a change with one key: ``post("/test", body, **headers)``."""
    scopes = [Scope.MANAGE_WEBHOOKS, Scope.READ_ENTRIES]
    key = new_key(Plan.FREE, sources=["acme.mail"], scopes=scopes)

    def post(path="", body=HOOK, using=client, **headers):
        return using.post(f"/api/v1/webhooks{path}", json=body, headers={**key, **headers})

    post.key = key
    return post


@pytest.fixture
def made(post):
    """The id of a webhook."""
    return post().json()["webhook"]["id"]


@pytest.fixture
def deliveries(client, post, made):
    """List the deliveries of the webhook."""

    def deliveries(**params):
        params = {"webhook": made, **params}
        return client.get("/api/v1/webhooks/deliveries", params=params, headers=post.key)

    return deliveries


def refused(response):
    return response.status_code, response.json()["code"]


def test_a_new_webhook_shows_its_secret_once(client, post, now):
    response = post(body={**HOOK, "format": "slack", "events": "important"})

    created = response.json()
    assert response.status_code == 201
    assert created["secret"].startswith("whsec_")
    assert created["webhook"] == {
        "id": created["webhook"]["id"],
        **HOOK,
        "format": "slack",
        "events": "important",
        "createdAt": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "failures": 0,
    }
    listed = client.get("/api/v1/webhooks", headers=post.key)
    assert listed.json() == {"total": 1, "items": [created["webhook"]]}


def test_what_is_left_of_the_changes_is_said(post):
    answers = [post(body={"name": "x", "url": "https://10.0.0.1/"}) for _ in range(29)] + [post()]

    assert answers[-1].headers["RateLimit"].startswith('"minute";r=0;')
    assert refused(post()) == (429, "rate_limited")


@pytest.mark.parametrize("scope", [Scope.MANAGE_WEBHOOKS, Scope.READ_ENTRIES])
def test_a_key_with_one_of_both_scopes_creates_none(client, new_key, database, scope):
    key = new_key(Plan.ALL, scopes=[scope])

    for body in (HOOK, {**HOOK, "key": key["X-Api-Key"][3:15]}):
        response = client.post("/api/v1/webhooks", json=body, headers=key)
        assert refused(response) == (403, "insufficient_scope")

    with database.read() as session:
        assert session.scalars(select(Webhook)).all() == []


def test_a_key_that_reads_no_entries_manages_webhooks_that_are_there(client, database, made, now):
    with database.write() as session:
        account = session.scalars(select(Account)).one()
        _, key = add_key(session, account, name="ci", scopes=[Scope.MANAGE_WEBHOOKS], now=now)

    answers = [
        client.post(
            f"/api/v1/webhooks/{change}", json={"webhook": made}, headers={"X-Api-Key": key}
        ).status_code
        for change in ("test", "redeliver", "rotate", "delete")
    ]

    assert answers == [202, 202, 200, 200]


def test_a_key_and_a_filter_of_the_account_narrow_it(post, database, client, new_key, now):
    reader = new_key(Plan.FREE, sources=["acme.mail"])
    own = reader["X-Api-Key"][3:15]
    with database.write() as session:
        account = session.scalars(select(Account).order_by(Account.id.desc())).first()
        saved = add_filter(session, account.id, name="ours", query="q=tls", now=now).public_id

    body = {**HOOK, "key": own, "filter": saved}
    response = client.post("/api/v1/webhooks", json=body, headers=reader)

    assert response.status_code == 201
    assert {"key": own, "filter": saved}.items() <= response.json()["webhook"].items()
    assert refused(post(body=body)) == NOT_FOUND  # another account's


def test_a_revoked_key_cannot_be_followed(post, database, now):
    with database.write() as session:
        account = session.scalars(select(Account).order_by(Account.id.desc())).first()
        key, _ = add_key(session, account, name="ci", scopes=[Scope.READ_ENTRIES], now=now)
        public_id = key.public_id
    assert post(body={**HOOK, "key": public_id}).status_code == 201

    with database.write() as session:
        revoke_key(find_key(session, public_id), now=now)

    assert refused(post(body={**HOOK, "key": public_id})) == NOT_FOUND


@pytest.mark.parametrize("url", ["http://hooks.acme.example/", "https://10.0.0.1/"])
def test_an_address_that_nothing_can_be_sent_to_is_refused(post, url):
    assert refused(post(body={**HOOK, "url": url})) == (403, "address_refused")


def test_an_operator_can_allow_a_network(services, post):
    allowed = replace(services, webhook_allow=(ip_network("10.0.0.0/8"),))
    with TestClient(create_api(allowed)) as client:
        response = post(body={**HOOK, "url": "http://10.0.0.1:9000/hook"}, using=client)

    assert response.status_code == 201


def test_a_request_that_is_sent_twice_is_done_once(client, post, new_key):
    key = {"Idempotency-Key": "a"}
    first, second = post(**key), post(**key)
    others = [
        post(**{"Idempotency-Key": "b"}),
        post(body={**HOOK, "name": "another"}, **key),
        client.post("/api/v1/webhooks", json=HOOK, headers={**new_key(), **key}),
    ]

    assert first.content == second.content
    assert {each.status_code for each in (first, second, *others)} == {201}
    assert len({each.json()["secret"] for each in (first, *others)}) == 4
    assert client.get("/api/v1/webhooks", headers=post.key).json()["total"] == 3


def test_an_account_has_five_and_a_refusal_is_not_kept(post):
    key = {"Idempotency-Key": "again"}
    for number in range(5):
        last = post(body={**HOOK, "name": str(number)}).json()["webhook"]["id"]
    assert refused(post(**key)) == (403, "plan_limit_exceeded")
    post("/delete", {"webhook": last})

    assert post(**key).status_code == 201


def test_answers_are_forgotten_after_a_day(services, post, database, now):
    post(**{"Idempotency-Key": "a"})
    later = replace(services, now=lambda: now + KEPT)
    with TestClient(create_api(later)) as client:
        post(using=client, **{"Idempotency-Key": "a"})

    with database.read() as session:
        assert len(session.scalars(select(Webhook)).all()) == 2
        (kept,) = session.scalars(select(IdempotentAnswer))
        assert kept.created_at == now + timedelta(days=1)


@pytest.mark.parametrize("key", ["", "x" * 256, "\xe4"])
def test_an_idempotency_key_is_short_and_of_ascii(post, key):
    response = post(**{"Idempotency-Key": key.encode("latin-1")})

    assert refused(response) == (400, "invalid_request")


def test_a_test_is_queued_and_listed(post, made, deliveries):
    response = post("/test", {"webhook": made})

    assert response.status_code == 202
    delivery = response.json()["delivery"]
    assert response.json() == {"webhook": made, "queued": 1, "delivery": delivery}
    (item,) = deliveries().json()["items"]
    assert (item["id"], item["type"], item["state"]) == (delivery, "webhook.test", "pending")


def test_a_rotated_secret_is_another(post, made, database):
    with database.read() as session:
        before = find_webhook(session, made).secret
    response = post("/rotate", {"webhook": made})

    with database.read() as session:
        webhook = find_webhook(session, made)
        assert (webhook.secret, webhook.old_secret) == (response.json()["secret"], before)


def test_a_deleted_webhook_is_gone(post, made):
    assert post("/delete", {"webhook": made}).json() == {"webhook": made}
    assert refused(post("/delete", {"webhook": made})) == NOT_FOUND


def test_dead_letters_are_sent_again_together_or_one_by_one(post, made, database, deliveries):
    ended = [post("/test", {"webhook": made}).json()["delivery"] for _ in range(3)]
    with database.write() as session:
        for number, state in zip(ended, ("delivered", "dead", "dead"), strict=True):
            row = session.get_one(Delivery, int(number))
            row.state, row.next_attempt_at = DeliveryState(state), None

    assert deliveries(state="dead").json()["total"] == 2
    one = post("/redeliver", {"webhook": made, "delivery": ended[0]})
    assert (one.status_code, one.json()) == (202, {"webhook": made, "queued": 1})
    assert post("/redeliver", {"webhook": made}).json()["queued"] == 2
    assert post("/redeliver", {"webhook": made}).json()["queued"] == 0
    assert deliveries(state="pending").json()["total"] == 3


@pytest.mark.parametrize("path", ["/test", "/redeliver"])
def test_a_webhook_that_is_off_gets_nothing(post, made, database, now, path):
    with database.write() as session:
        webhook = find_webhook(session, made)
        disable_webhook(session, webhook.id, DisabledReason.GONE, now=now)

    assert refused(post(path, {"webhook": made})) == (403, "webhook_disabled")


@pytest.mark.parametrize("path", ["/test", "/rotate", "/delete", "/redeliver"])
def test_the_webhook_of_another_account_is_not_there(client, new_key, made, path):
    response = client.post(f"/api/v1/webhooks{path}", json={"webhook": made}, headers=new_key())

    assert refused(response) == NOT_FOUND


def test_a_delivery_of_another_webhook_is_not_there(post, made):
    other = post(body={**HOOK, "name": "other"}).json()["webhook"]["id"]
    delivery = post("/test", {"webhook": other}).json()["delivery"]

    assert refused(post("/redeliver", {"webhook": made, "delivery": delivery})) == NOT_FOUND
