"""Delivery assembled from settings."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from delivery.context import DeliveryContext
from delivery.webhook_client import WebhookClient
from delivery.worker import deliver_in_background
from ingest.fetching.client import user_agent
from service.clock import clock
from service.mail import carrier_of
from service.settings import Settings
from storage.engine.database import Database


@contextmanager
def delivering(settings: Settings, database: Database, stop: threading.Event) -> Iterator[None]:
    """Send webhooks and digests beside the block, until it ends or until told to stop."""
    from service.metrics import count_attempt  # after counting_together

    context = DeliveryContext(
        db=database,
        webhook_client=WebhookClient(
            user_agent=user_agent(version("changewire"), settings.site_url),
            allow=settings.fetch_allow,
            proxy=settings.fetch_proxy,
        ),
        carry=carrier_of(settings),
        now=clock,
        draw=random.random,
        site_url=settings.site_url,
        on_attempt=count_attempt,
    )
    with deliver_in_background(context, stop):
        yield
