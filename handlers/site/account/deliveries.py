"""The deliveries of a webhook: send a test, show the attempts, send again."""

from typing import Final

from flask import Blueprint, abort, render_template
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.webhooks import back_to, count_changes, own_webhook
from handlers.site.services import site_services
from handlers.site.session import require_sign_in
from storage.delivery.delivery_log import attempts_of, page_deliveries, send_again
from storage.delivery.fanout import add_test_event

deliveries = Blueprint("deliveries", __name__, url_prefix="/app/webhooks/<webhook_id>")
deliveries.before_request(require_sign_in)
deliveries.before_request(count_changes)
ONE: Final = f"/deliveries/<int(max={2**63 - 1}):delivery_id>"  # no row has a larger number
SWITCHED_OFF: Final = "It is switched off; switch it on first."


@deliveries.post("/test")
def test(webhook_id: str) -> AnyResponse:
    """Queue a test message."""
    services = site_services()
    with services.db.write() as session:
        webhook = own_webhook(session, webhook_id)
        if webhook.disabled_at is not None:
            return back_to(webhook_id, SWITCHED_OFF)
        add_test_event(session, webhook.id, now=services.now())
    return back_to(webhook_id, "A test is on its way. How it went shows up below.")


@deliveries.post("/again")
@deliveries.post(f"{ONE}/again")
def again(webhook_id: str, delivery_id: int | None = None) -> AnyResponse:
    """Send one message again, whether it was delivered or not, or all dead letters."""
    services = site_services()
    with services.db.write() as session:
        webhook = own_webhook(session, webhook_id)
        if webhook.disabled_at is not None:
            return back_to(webhook_id, SWITCHED_OFF)
        count = send_again(session, webhook.id, delivery_id, now=services.now())
    messages = "1 message is" if count == 1 else f"{count} messages are"
    return back_to(webhook_id, f"{messages} on the way again.")


@deliveries.get(ONE)
def delivery(webhook_id: str, delivery_id: int) -> str:
    """Show every attempt of a message."""
    with site_services().db.read() as session:
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
        now=site_services().now(),
    )


def shown_answer(answer: bytes) -> str:
    """Return the beginning of an answer as text that can be shown: no control characters."""
    text = answer.decode("utf-8", "replace")
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
