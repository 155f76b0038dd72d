"""Tell the hub of our own feeds when they change, so that it pushes them to readers."""

import threading
from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from delivery.context import DeliveryContext
from delivery.hub_client import post_form
from storage.engine.statements import batches
from storage.entries.feed_pings import is_ping_due, take_changed

log = structlog.get_logger(__name__)

EVERY: Final = 2.0  # seconds; so many changes are told at once
AFTER_FAULT: Final = 30.0
MOST_TRIES: Final = 3
MOST_SOURCES: Final = 100  # a first reading of many sources is history, which nobody waits for
IN_A_REQUEST: Final = 20
OF_ALL: Final = (
    "/rss/updates.xml",
    "/rss/important.xml",
    "/feeds/updates.atom",
    "/feeds/important.atom",
    "/feeds/updates.json",
    "/feeds/important.json",
)
"""The feeds of all sources, which change with each of them."""


def ping_hub(context: DeliveryContext, stop: threading.Event, *, hub: str) -> None:
    """Tell a hub of what changes until ``stop`` is set; one that is dead is tried a few times."""
    while not stop.wait(EVERY):
        try:
            _tell(context, hub, changed_feeds(context), stop)
        except DBAPIError as error:
            log.error("the hub of our feeds waits for the database", reason=str(error.orig))
            stop.wait(AFTER_FAULT)
        except Exception:  # an error of ours must not end what is to run for years
            log.exception("telling the hub of our feeds failed and goes on")
            stop.wait(AFTER_FAULT)


def changed_feeds(context: DeliveryContext) -> list[str]:
    """Return the addresses of our feeds that changed, each to one process only."""
    with context.db.read() as session:
        if not is_ping_due(session):
            return []
    with context.db.write() as session:
        slugs = take_changed(session, most=MOST_SOURCES)
    if not slugs:
        return []
    paths = (*OF_ALL, *(f"/feeds/{slug}.atom" for slug in slugs))
    return [context.site_url + path for path in paths]


def _tell(context: DeliveryContext, hub: str, feeds: Sequence[str], stop: threading.Event) -> None:
    for some in batches(feeds, IN_A_REQUEST):
        fields = {"hub.mode": "publish", "hub.url": some}
        for _ in range(MOST_TRIES):
            fault = post_form(context.webhook_client, hub, fields)
            if fault is None or stop.is_set():
                break
            log.info("the hub of our feeds was not told", reason=fault, feeds=len(some))
            stop.wait(AFTER_FAULT)
