"""Webhooks: create, list, test, rotate and delete them, and send again what did not arrive."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.render import json_response, list_response
from handlers.api.webhook_changes import applied_once
from handlers.api.webhook_documents import Names, as_delivery, as_webhook
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import (
    Refusal,
    address_refused,
    not_found,
    plan_limit_exceeded,
    webhook_disabled,
)
from openapi.queries import ListDeliveries, ListWebhooks
from openapi.text import one_line
from openapi.vocabulary import Json, Scope, WebhookFormat
from outbound.guard import AddressRefused
from outbound.targets import check_webhook_url
from storage.delivery.delivery_log import count_deliveries, page_deliveries, send_again
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import add_webhook, find_webhook, rotate_secret, secret_of
from storage.delivery.webhooks import delete_webhook as remove_webhook
from storage.delivery.webhooks import list_webhooks as webhooks_of
from storage.models import Webhook
from storage.models.people import AccountEventKind
from storage.models.webhooks import DeliveryState
from storage.people.account_events import BY_KEY, note_event
from storage.people.accounts import LONGEST_NAME, Refused
from storage.people.keys import is_live, list_keys
from storage.people.saved_filters import list_filters

IMPORTANT: Final = "important"


def list_webhooks(_query: ListWebhooks, caller: Caller) -> Response:
    """Answer GET /webhooks."""
    require_scope(caller, Scope.MANAGE_WEBHOOKS)
    with context().db.read() as session:
        names = _names(session, caller)
        items = [as_webhook(webhook, names) for webhook in webhooks_of(session, caller.account_id)]
    return json_response(orjson.dumps({"total": len(items), "items": items}))


def list_deliveries(query: ListDeliveries, caller: Caller) -> Response:
    """Answer GET /webhooks/deliveries."""
    require_scope(caller, Scope.MANAGE_WEBHOOKS)
    state = None if query.state is None else DeliveryState(query.state)
    with context().db.read() as session:
        webhook = own_webhook(session, caller, query.webhook)
        states = DeliveryState if state is None else (state,)
        total = sum(count_deliveries(session, webhook.id, one) for one in states)
        lines = page_deliveries(
            session, webhook.id, limit=query.limit, offset=query.offset, state=state
        )
        items = [orjson.dumps(as_delivery(line)) for line in lines]
    return list_response(query, items, total=total)


@applied_once(201, Scope.READ_ENTRIES)
def create_webhook(session: Session, body: dict[str, str], caller: Caller) -> dict[str, Json]:
    """Answer POST /webhooks; the secret is in this answer and in no other."""
    settings = _settings(session, caller, body)
    try:
        webhook = add_webhook(session, caller.account_id, settings, now=context().now())
    except Refused as error:
        raise plan_limit_exceeded(str(error), hint="Delete one first.") from error
    _note(session, AccountEventKind.WEBHOOK_MADE, webhook)
    return {
        "secret": secret_of(session, webhook),
        "webhook": as_webhook(webhook, _names(session, caller)),
    }


@applied_once(202)
def test_webhook(session: Session, body: dict[str, str], caller: Caller) -> dict[str, Json]:
    """Answer POST /webhooks/test: queue a test message."""
    webhook = _enabled_webhook(session, caller, body["webhook"])
    delivery = add_test_event(session, webhook.id, now=context().now())
    return {"webhook": webhook.public_id, "queued": 1, "delivery": str(delivery)}


@applied_once(200)
def rotate_webhook(session: Session, body: dict[str, str], caller: Caller) -> dict[str, Json]:
    """Answer POST /webhooks/rotate; the new secret is in this answer and in no other."""
    webhook = own_webhook(session, caller, body["webhook"])
    secret = rotate_secret(session, webhook, now=context().now())
    _note(session, AccountEventKind.WEBHOOK_ROTATED, webhook)
    return {"secret": secret, "webhook": as_webhook(webhook, _names(session, caller))}


@applied_once(200)
def delete_webhook(session: Session, body: dict[str, str], caller: Caller) -> dict[str, Json]:
    """Answer POST /webhooks/delete."""
    webhook = own_webhook(session, caller, body["webhook"])
    remove_webhook(session, webhook.id)
    _note(session, AccountEventKind.WEBHOOK_DELETED, webhook)
    return {"webhook": webhook.public_id}


@applied_once(202)
def redeliver_webhook(session: Session, body: dict[str, str], caller: Caller) -> dict[str, Json]:
    """Answer POST /webhooks/redeliver: one delivery, or every failed message."""
    webhook = _enabled_webhook(session, caller, body["webhook"])
    only = int(body["delivery"]) if "delivery" in body else None
    if only is not None and not page_deliveries(session, webhook.id, only=only, limit=1):
        raise _nothing("delivery", body["delivery"])
    queued = send_again(session, webhook.id, only, now=context().now())
    return {"webhook": webhook.public_id, "queued": queued}


def own_webhook(session: Session, caller: Caller, public_id: str) -> Webhook:
    """Return a webhook of the caller's account; any other is a 404."""
    webhook = find_webhook(session, public_id)
    if webhook is None or webhook.account_id != caller.account_id:
        raise _nothing("webhook", public_id)
    return webhook


def _note(session: Session, kind: AccountEventKind, webhook: Webhook) -> None:
    """Record for the account's owner what a key of theirs does."""
    now = context().now()
    note_event(session, webhook.account_id, kind, webhook.name, by=BY_KEY, now=now)


def _enabled_webhook(session: Session, caller: Caller, public_id: str) -> Webhook:
    """Return a webhook of the caller's account that messages are sent to; refuse any other."""
    webhook = own_webhook(session, caller, public_id)
    if webhook.disabled_at is not None:
        raise webhook_disabled(public_id)
    return webhook


def _settings(session: Session, caller: Caller, body: Mapping[str, Any]) -> Webhook:
    """Return the settings of a body. Refuses addresses, keys and filters that are not possible."""
    try:
        url = check_webhook_url(body["url"], allow=context().webhook_allow)
    except AddressRefused as error:
        raise address_refused(str(error)) from error
    keys = {
        key.public_id: key.id
        for key in list_keys(session, caller.account_id)
        if is_live(key, now=context().now()) and Scope.READ_ENTRIES.value in key.scopes
    }
    filters = {saved.public_id: saved.id for saved in list_filters(session, caller.account_id)}
    return Webhook(
        name=one_line(body["name"])[:LONGEST_NAME] or str(url.host),
        url=str(url),
        key_id=_chosen("live key with read:entries", body.get("key"), keys),
        only_important=body.get("events") == IMPORTANT,
        filter_id=_chosen("saved filter", body.get("filter"), filters),
        format=WebhookFormat(body.get("format", WebhookFormat.PLAIN)),
    )


def _chosen(what: str, public_id: str | None, ids: Mapping[str, int]) -> int | None:
    if public_id is not None and public_id not in ids:
        raise _nothing(what, public_id)
    return None if public_id is None else ids[public_id]


def _names(session: Session, caller: Caller) -> Names:
    return Names(
        {key.id: key.public_id for key in list_keys(session, caller.account_id)},
        {saved.id: saved.public_id for saved in list_filters(session, caller.account_id)},
    )


def _nothing(what: str, name: str) -> Refusal:
    hint = "List its webhooks with GET /api/v1/webhooks."
    return not_found(f"The account has no {what} {name}.", hint)
