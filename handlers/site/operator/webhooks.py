"""Failing webhooks: send again, switch off and on."""

from flask import Blueprint, render_template
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.webhooks import REASONS
from handlers.site.error_pages import or_404
from handlers.site.operator.actions import back, record, written
from handlers.site.services import site_services
from handlers.site.session import require_operator
from storage.delivery.delivery_log import count_deliveries, page_deliveries, send_again
from storage.delivery.webhooks import (
    disable_by_operator,
    enable_webhook,
    find_webhook,
    note_enabled_by_operator,
    troubled_webhooks,
)
from storage.models.webhooks import DeliveryState, DisabledReason

operator_webhooks = Blueprint("operator_webhooks", __name__, url_prefix="/operator/webhooks")
operator_webhooks.before_request(require_operator)
HERE = "operator_webhooks.show"
SHOWN = 20
WHY_OFF = {
    **REASONS,
    DisabledReason.OWNER: "its owner switched it off",
    DisabledReason.OPERATOR: "an operator switched it off",
}


@operator_webhooks.get("")
def overview() -> str:
    """List the failing webhooks."""
    with site_services().db.read() as session:
        webhooks = troubled_webhooks(session)
        return render_template("operator/webhooks.html", webhooks=webhooks)


@operator_webhooks.get("/<webhook_id>")
def show(webhook_id: str) -> str:
    """Show a webhook with its newest deliveries."""
    with site_services().db.read() as session:
        webhook = or_404(find_webhook(session, webhook_id))
        return render_template(
            "operator/webhook.html",
            webhook=webhook,
            why_off=WHY_OFF,
            dead=count_deliveries(session, webhook.id, DeliveryState.DEAD),
            waiting=count_deliveries(session, webhook.id, DeliveryState.PENDING),
            lines=page_deliveries(session, webhook.id, limit=SHOWN),
        )


@operator_webhooks.post("/<webhook_id>/again")
def again(webhook_id: str) -> AnyResponse:
    """Send all dead letters again."""
    services = site_services()
    with services.db.write() as session:
        webhook = or_404(find_webhook(session, webhook_id))
        if webhook.disabled_at is not None:
            return back("It is off; switch it on first.", HERE, fault=True, webhook_id=webhook_id)
        count = send_again(session, webhook.id, None, now=services.now())
        record(session, "dead letters sent again", webhook_id)
    return back(f"{count} on the way again.", HERE, webhook_id=webhook_id)


@operator_webhooks.post("/<webhook_id>/off")
def switch_off(webhook_id: str) -> AnyResponse:
    """Switch a webhook off; only an operator can undo that."""
    services = site_services()
    with services.db.write() as session:
        disable_by_operator(session, or_404(find_webhook(session, webhook_id)), now=services.now())
        record(session, "webhook switched off", webhook_id)
    return back("It is off.", HERE, webhook_id=webhook_id)


@operator_webhooks.post("/<webhook_id>/on")
def switch_on(webhook_id: str) -> AnyResponse:
    """Switch a webhook on, and send the entries found in between if the form says so."""
    with site_services().db.write() as session:
        catch_up = written("catch_up") == "1"
        webhook = or_404(find_webhook(session, webhook_id))
        enable_webhook(session, webhook, catch_up=catch_up)
        note_enabled_by_operator(session, webhook, now=site_services().now())
        record(session, "webhook switched on", webhook_id)
    return back("It is on.", HERE, webhook_id=webhook_id)
