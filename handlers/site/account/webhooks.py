"""The pages of webhooks and of what they sent (docs/webhooks.md)."""

from collections.abc import Sequence
from typing import Final

from flask import Blueprint, abort, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_webhook_change
from handlers.site.account.browsers import log_event
from handlers.site.error_pages import or_404
from handlers.site.forms import parse_offset, parse_webhook_form
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import done, require_sign_in, signed_in_user
from openapi.text import counted
from openapi.vocabulary import Scope
from storage.delivery.delivery_log import (
    DEAD_KEPT,
    DELIVERED_KEPT,
    attempts_of,
    count_deliveries,
    page_deliveries,
    send_again,
)
from storage.delivery.digests import find_digest
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import (
    WEBHOOKS_PER_ACCOUNT,
    add_webhook,
    change_webhook,
    delete_webhook,
    disable_webhook,
    enable_webhook,
    find_webhook,
    list_webhooks,
    rotate_secret,
    secret_of,
)
from storage.models import ApiKey, Webhook
from storage.models.people import AccountEventKind
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.people.accounts import Refused, lock_account
from storage.people.keys import is_live, list_keys
from storage.people.saved_filters import list_filters
from storage.people.stacks import stack_names

webhooks = Blueprint("webhooks", __name__, url_prefix="/app/webhooks")
webhooks.before_request(require_sign_in)
PAGE: Final = 20
ONE: Final = f"/<webhook_id>/deliveries/<int(max={2**63 - 1}):delivery_id>"  # no row has more


@webhooks.before_request
def count_changes() -> None:
    """Limit how often a user may change something."""
    if request.method == "POST":
        count_webhook_change(site_services(), signed_in_user().account_id)


@webhooks.get("")
def overview(fault: str | None = None) -> str:
    """List the account's webhooks, and offer the digest."""
    owner = signed_in_user()
    with read() as session:
        return render_template(
            "webhooks.html",
            webhooks=list_webhooks(session, owner.account_id),
            most=WEBHOOKS_PER_ACCOUNT,
            choices=_choices(session),
            filters=list_filters(session, owner.account_id),
            stacks=stack_names(session, owner.account_id),
            digest=find_digest(session, owner.account_id),
            email=owner.email,
            fault=fault,
            written=request.form,
        )


@webhooks.post("")
def create() -> tuple[str, int]:
    """Create a webhook and show its secret, once."""
    with write() as session:
        settings = _submitted_settings(session)
        owner = signed_in_user()
        webhook = add_webhook(session, owner.account_id, settings, now=current_time())
        log_event(session, AccountEventKind.WEBHOOK_MADE, webhook.name)
        webhook_id, secret = webhook.public_id, secret_of(session, webhook)
    return _shown_once(webhook_id, secret, rotated=False), 201


@webhooks.get("/<webhook_id>")
def show(webhook_id: str, fault: str | None = None) -> str:
    """Show a webhook with its waiting deliveries, failed messages and log."""
    only_dead = request.args.get("show") == "dead"
    offset = parse_offset(request.args.get("offset"))
    state = DeliveryState.DEAD if only_dead else None
    with read() as session:
        webhook = own_webhook(session, webhook_id)
        lines = page_deliveries(session, webhook.id, state=state, limit=PAGE + 1, offset=offset)
        return render_template(
            "webhook.html",
            webhook=webhook,
            choices=_choices(session),
            filters=list_filters(session, webhook.account_id),
            lines=lines[:PAGE],
            more=len(lines) > PAGE,
            size=PAGE,
            offset=offset,
            only_dead=only_dead,
            dead=count_deliveries(session, webhook.id, DeliveryState.DEAD),
            waiting=count_deliveries(session, webhook.id, DeliveryState.PENDING),
            kept=(DELIVERED_KEPT.days, DEAD_KEPT.days),
            now=current_time(),
            fault=fault,
        )


@webhooks.post("/<webhook_id>")
def change(webhook_id: str) -> AnyResponse:
    """Change a webhook's settings."""
    with write() as session:
        webhook = own_webhook(session, webhook_id)
        change_webhook(webhook, _submitted_settings(session))
        log_event(session, AccountEventKind.WEBHOOK_CHANGED, webhook.name)
    return back_to(webhook_id, "Settings saved.")


@webhooks.errorhandler(Refused)
def refused(error: Refused) -> tuple[str, int]:
    """Show the form again, with what is wrong."""
    webhook_id = (request.view_args or {}).get("webhook_id")
    fault = str(error)
    return (show(webhook_id, fault) if webhook_id else overview(fault)), 400


@webhooks.post("/<webhook_id>/secret")
def rotate(webhook_id: str) -> tuple[str, int]:
    """Make a new secret and show it, once; the old one signs beside it for a day."""
    with write() as session:
        webhook = own_webhook(session, webhook_id)
        secret = rotate_secret(session, webhook, now=current_time())
        log_event(session, AccountEventKind.WEBHOOK_ROTATED, webhook.name)
    return _shown_once(webhook_id, secret, rotated=True), 201


@webhooks.post("/<webhook_id>/off")
def disable(webhook_id: str) -> AnyResponse:
    """Disable a webhook."""
    with write() as session:
        webhook = own_webhook(session, webhook_id)
        if disable_webhook(session, webhook.id, DisabledReason.OWNER, now=current_time()):
            log_event(session, AccountEventKind.WEBHOOK_OFF, webhook.name)
    return back_to(webhook_id, "Webhook disabled. Pending messages are now among the failed ones.")


@webhooks.post("/<webhook_id>/on")
def enable(webhook_id: str) -> AnyResponse:
    """Enable a webhook; send what was found meanwhile if the form says so."""
    with write() as session:
        webhook = own_webhook(session, webhook_id)
        if webhook.disabled_reason is DisabledReason.OPERATOR:
            raise Refused("This webhook was disabled by the operator.")
        enable_webhook(session, webhook, catch_up=request.form.get("catch_up") == "1")
        log_event(session, AccountEventKind.WEBHOOK_ON, webhook.name)
    return back_to(webhook_id, "Webhook enabled.")


@webhooks.post("/<webhook_id>/delete")
def delete(webhook_id: str) -> AnyResponse:
    """Delete a webhook."""
    with write() as session:
        webhook = own_webhook(session, webhook_id)
        delete_webhook(session, webhook.id)
        name = webhook.name
        log_event(session, AccountEventKind.WEBHOOK_DELETED, name)
    return done(f"Webhook “{name}” deleted.", "webhooks.overview")


def own_webhook(session: Session, webhook_id: str) -> Webhook:
    """Return a webhook of the user; answer 404 for any other."""
    webhook = or_404(find_webhook(session, webhook_id))
    if webhook.account_id != signed_in_user().account_id:
        abort(404)
    return webhook


def working_webhook(session: Session, webhook_id: str) -> Webhook:
    """Return a webhook of the user that messages are sent to. Raises Refused."""
    webhook = own_webhook(session, webhook_id)
    if webhook.disabled_at is not None:
        raise Refused("This webhook is disabled. Enable it first.")
    return webhook


def _choices(session: Session) -> Sequence[ApiKey]:
    """Return the live keys that may read entries."""
    now = current_time()
    return [
        key
        for key in list_keys(session, signed_in_user().account_id)
        if is_live(key, now=now) and Scope.READ_ENTRIES.value in key.scopes
    ]


def _submitted_settings(session: Session) -> Webhook:
    return parse_webhook_form(
        request.form,
        keys={key.public_id: key.id for key in _choices(session)},
        filters=filters_to_choose(session),
        allow=site_services().webhook_allow,
    )


def filters_to_choose(session: Session) -> dict[str, int]:
    """Return the user's saved filters, none of which is deleted before one of them is chosen."""
    owner = lock_account(session, signed_in_user().account_id)
    return {saved.public_id: saved.id for saved in list_filters(session, owner.id)}


def back_to(webhook_id: str, notice: str) -> AnyResponse:
    return done(notice, "webhooks.show", webhook_id=webhook_id)


def _shown_once(webhook_id: str, secret: str, *, rotated: bool) -> str:
    with read() as session:
        webhook = own_webhook(session, webhook_id)
    return render_template("webhook_secret.html", webhook=webhook, secret=secret, rotated=rotated)


@webhooks.post("/<webhook_id>/test")
def send_test(webhook_id: str) -> AnyResponse:
    """Queue a test message."""
    with write() as session:
        add_test_event(session, working_webhook(session, webhook_id).id, now=current_time())
    return back_to(webhook_id, "Test sent. The result appears below.")


@webhooks.post("/<webhook_id>/again")
@webhooks.post(f"{ONE}/again")
def again(webhook_id: str, delivery_id: int | None = None) -> AnyResponse:
    """Send one message again, whether it was delivered or not, or all failed messages."""
    with write() as session:
        webhook = working_webhook(session, webhook_id)
        count = send_again(session, webhook.id, delivery_id, now=current_time())
    return back_to(webhook_id, f"{counted(count, 'message')} queued again.")


@webhooks.get(ONE)
def delivery(webhook_id: str, delivery_id: int) -> str:
    """Show every attempt of a message."""
    with read() as session:
        webhook = own_webhook(session, webhook_id)
        lines = page_deliveries(session, webhook.id, only=delivery_id, limit=1, offset=0)
        if not lines:
            abort(404)
        attempts = attempts_of(session, delivery_id)
    return render_template(
        "delivery.html",
        webhook=webhook,
        line=lines[0],
        attempts=attempts,
        text=shown_answer,
        now=current_time(),
    )


def shown_answer(answer: bytes) -> str:
    """Return the beginning of an answer as text that can be shown: no control characters."""
    text = answer.decode("utf-8", "replace")
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
