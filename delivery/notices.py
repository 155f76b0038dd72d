"""The mail to somebody whose webhook was switched off."""

from typing import Final

from outbound.mail import Mail
from storage.models import Webhook
from storage.models.webhooks import DisabledReason

SUBJECT: Final = "Your Changewire webhook “{name}” is switched off"
REASONS: Final = {
    DisabledReason.GONE: "its server answered 410 Gone, which asks us to stop.",
    DisabledReason.FAILING: "nothing has got through to its server for three days.",
    DisabledReason.NOTHING_LEFT: "every source that it was about has left the catalog.",
}
AFTER_FAILURE: Final = (
    "What could not be delivered is kept for 30 days. When the server is well again, switch the\n"
    "webhook on and send it again:"
)
NO_SOURCES_LEFT: Final = (
    "Without a list it would be sent what is new in the whole catalog. Select other sources for\n"
    "your keys, then switch the webhook on:"
)


def disabled_mail(webhook: Webhook, *, site_url: str) -> Mail:
    """Return the mail. The webhook has its account loaded."""
    reason = webhook.disabled_reason
    assert reason is not None
    text = f"""Hello,

your webhook “{webhook.name}” is switched off: {REASONS[reason]}

{NO_SOURCES_LEFT if reason is DisabledReason.NOTHING_LEFT else AFTER_FAILURE}

{site_url}/app/webhooks/{webhook.public_id}
"""
    return Mail(webhook.account.email, SUBJECT.format(name=webhook.name), text)
