"""What pushing needs of the world."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from delivery.sending import Sender
from outbound.mail import Carrier
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState


@dataclass(frozen=True, slots=True)
class Pushing:
    """What pushing needs of the world.

    ``draw`` gives random numbers in [0, 1). ``on_attempt`` hears, of each attempt to send to a
    webhook, where the delivery stands then.
    """

    db: Database
    sender: Sender
    carry: Carrier
    now: Callable[[], datetime]
    draw: Callable[[], float]
    site_url: str
    on_attempt: Callable[[DeliveryState], None] = lambda _state: None
