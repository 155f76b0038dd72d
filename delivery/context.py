"""The dependencies of delivery, passed as one argument."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from delivery.webhook_client import WebhookClient
from outbound.mail import Carrier
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """The dependencies of delivery.

    ``carry`` sends a mail. ``draw`` gives random numbers in [0, 1). ``on_attempt`` is called
    after each attempt to send to a webhook, with the state the delivery has then.
    """

    db: Database
    webhook_client: WebhookClient
    carry: Carrier
    now: Callable[[], datetime]
    draw: Callable[[], float]
    site_url: str
    on_attempt: Callable[[DeliveryState], None] = lambda _state: None
