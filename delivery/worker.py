"""Run delivery in the background: webhooks in one thread, maintenance in another."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from delivery.context import DeliveryContext
from delivery.fanout import fan_out
from delivery.maintenance import do_maintenance, repair_future_times
from delivery.webhook_delivery import deliver_claimed
from storage.delivery.deliveries import (
    WebhookLease,
    any_due,
    any_to_do,
    claim_webhooks,
    release_webhook,
)

log = structlog.get_logger(__name__)

THREADS: Final = 8  # webhooks at a time
POLL_INTERVAL: Final = timedelta(seconds=1)
MAINTENANCE_EVERY: Final = timedelta(seconds=5)
REPAIR_EVERY: Final = timedelta(minutes=10)
PAUSE_AFTER_ERROR: Final = timedelta(seconds=5)
PAUSE_AFTER_MAIL_ERROR: Final = timedelta(minutes=1)
MAINTENANCE_STOPS_WITHIN: Final = timedelta(seconds=5)  # a mail server may hang


class Deliverer:
    """Claims webhooks that have something due and sends to several of them at a time."""

    def __init__(self, context: DeliveryContext, *, threads: int = THREADS) -> None:
        self._context = context
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="deliver")
        self._under_way: dict[Future[int], WebhookLease] = {}

    def turn(self) -> bool:
        """Queue new events, collect finished deliveries, and start further ones.

        Returns whether there is nothing to do at once. Raises DBAPIError.
        """
        for future in [future for future in self._under_way if future.done()]:
            self._collect(future)
        now = self._context.now()
        if not self._under_way:
            with self._context.db.read() as session:
                if not any_to_do(session, now=now):
                    return True
        unfinished = fan_out(self._context.db, now=now)
        for claim in self._claim():
            future = self._executor.submit(deliver_claimed, self._context, claim)
            self._under_way[future] = claim
        return not unfinished and not self._under_way

    def wait(self, longest: timedelta) -> None:
        """Wait until something has ended, or for a while."""
        wait(self._under_way, timeout=longest.total_seconds(), return_when="FIRST_COMPLETED")

    def stop(self) -> None:
        """Abort deliveries in progress; they are sent again after the next start."""
        self._context.webhook_client.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        unused = [claim for future, claim in self._under_way.items() if future.cancelled()]
        with self._context.db.write() as session:
            for claim in unused:
                release_webhook(session, claim)

    def _claim(self) -> list[WebhookLease]:
        room = self._threads - len(self._under_way)
        now = self._context.now()
        with self._context.db.read() as session:
            if room <= 0 or not any_due(session, now=now):
                return []
        claimed = {claim[0] for claim in self._under_way.values()}
        with self._context.db.write() as session:
            return claim_webhooks(session, now=now, most=room, avoid=claimed)

    def _collect(self, future: Future[int]) -> None:
        claim = self._under_way.pop(future)
        error = future.exception()
        if error is not None:  # its lease ends by itself
            log.error("delivery failed", webhook_id=claim[0], exc_info=error)


@contextmanager
def deliver_in_background(context: DeliveryContext, stop: threading.Event) -> Iterator[None]:
    """Deliver in threads of their own while the block runs, or until ``stop`` is set."""
    deliverer = threading.Thread(target=deliver, args=(context, stop), name="webhooks")
    maintenance = threading.Thread(
        target=_maintain, args=(context, stop), name="maintenance", daemon=True
    )
    deliverer.start()
    maintenance.start()
    try:
        yield
    finally:
        stop.set()
        deliverer.join()
        maintenance.join(MAINTENANCE_STOPS_WITHIN.total_seconds())


def deliver(context: DeliveryContext, stop: threading.Event) -> None:
    """Queue and deliver until ``stop`` is set. Errors of the database end nothing."""
    deliverer = Deliverer(context)
    while not stop.is_set():
        try:
            idle = deliverer.turn()
        except DBAPIError as error:
            log.error("deliveries wait for the database", reason=str(error.orig))
            stop.wait(PAUSE_AFTER_ERROR.total_seconds())
        except Exception:  # an error of ours must not end what is to run for years
            log.exception("delivery failed and goes on")
            stop.wait(PAUSE_AFTER_ERROR.total_seconds())
        else:
            if idle:
                stop.wait(POLL_INTERVAL.total_seconds())
            else:
                deliverer.wait(POLL_INTERVAL)
    deliverer.stop()


def _maintain(context: DeliveryContext, stop: threading.Event) -> None:
    repaired_at = float("-inf")
    while not stop.is_set():
        pause = PAUSE_AFTER_MAIL_ERROR
        try:
            if time.monotonic() - repaired_at >= REPAIR_EVERY.total_seconds():
                repaired_at = time.monotonic()
                repair_future_times(context)
            if do_maintenance(context, stop):
                pause = MAINTENANCE_EVERY
        except DBAPIError as error:
            log.error("mails wait for the database", reason=str(error.orig))
        except Exception:
            log.exception("maintenance failed and is tried again")
        stop.wait(pause.total_seconds())
