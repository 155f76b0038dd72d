"""Delivery of webhooks and digests, assembled from the settings."""

import random
from collections.abc import Callable
from importlib.metadata import version

from delivery.context import DeliveryContext
from delivery.webhook_client import WebhookClient
from ingest.fetching.client import user_agent
from service.clock import clock
from service.mail import carrier_for
from service.settings import Settings
from storage.engine.database import Database
from storage.models.webhooks import DeliveryState


def delivery_context(
    settings: Settings,
    database: Database,
    *,
    on_attempt: Callable[[DeliveryState], None],
    on_mail: Callable[[bool], None],
) -> DeliveryContext:
    """Return what delivery needs; ``on_attempt`` is called after each attempt at a webhook,
    ``on_mail`` after each attempt at a mail."""
    return DeliveryContext(
        db=database,
        webhook_client=WebhookClient(
            user_agent=user_agent(version("changewire"), settings.site_url),
            allow=settings.webhook_allow,
            proxy=settings.fetch_proxy,
        ),
        carry=carrier_for(settings, on_mail),
        now=clock,
        draw=random.random,
        site_url=settings.site_url,
        on_attempt=on_attempt,
    )
