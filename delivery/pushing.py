"""What pushing needs of the world."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from delivery.sending import Sender
from outbound.mail import Carrier
from storage.database import Database


@dataclass(frozen=True, slots=True)
class Pushing:
    """What pushing needs of the world. ``draw`` gives random numbers in [0, 1)."""

    db: Database
    sender: Sender
    carry: Carrier
    now: Callable[[], datetime]
    draw: Callable[[], float]
    site_url: str
