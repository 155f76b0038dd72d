"""Pushing for as long as the program runs: fanning out, delivering, and the chores beside it."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from delivery.chores import call_back, do_chores
from delivery.delivering import deliver_claimed
from delivery.fanout import fan_out
from delivery.pushing import Pushing
from storage.delivery.deliveries import Claim, any_due, claim_webhooks, release

log = structlog.get_logger(__name__)

THREADS: Final = 8  # webhooks at a time
GLANCE: Final = timedelta(milliseconds=500)
CHORES_EVERY: Final = timedelta(seconds=5)
CALL_BACK_EVERY: Final = timedelta(minutes=10)
AFTER_TROUBLE: Final = timedelta(seconds=5)
AFTER_MAIL_TROUBLE: Final = timedelta(minutes=1)
CHORES_STOP_WITHIN: Final = timedelta(seconds=5)  # a mail server may hang


class Deliverer:
    """Claims webhooks that have something due and sends to several of them at a time."""

    def __init__(self, pushing: Pushing, *, threads: int = THREADS) -> None:
        self._pushing = pushing
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="deliver")
        self._under_way: dict[Future[int], Claim] = {}

    def turn(self) -> bool:
        """Fan out what is new, see what has ended, claim and begin what fits.

        Returns whether nothing is left to do at once. Raises DBAPIError.
        """
        for future in [each for each in self._under_way if each.done()]:
            self._ended(future)
        now = self._pushing.now()
        unfinished = fan_out(self._pushing.db, now=now)
        for claim in self._claimed():
            future = self._executor.submit(deliver_claimed, self._pushing, claim)
            self._under_way[future] = claim
        return not unfinished and not self._under_way

    def rest(self, longest: timedelta) -> None:
        """Wait until something has ended, or for a while."""
        wait(self._under_way, timeout=longest.total_seconds(), return_when="FIRST_COMPLETED")

    def stop(self) -> None:
        """End what is under way at once; what was being sent is sent again another time."""
        self._pushing.sender.close()
        self._executor.shutdown(wait=True, cancel_futures=True)
        unused = [claim for future, claim in self._under_way.items() if future.cancelled()]
        with self._pushing.db.write() as session:
            for claim in unused:
                release(session, claim)

    def _claimed(self) -> list[Claim]:
        room = self._threads - len(self._under_way)
        now = self._pushing.now()
        with self._pushing.db.read() as session:
            if room <= 0 or not any_due(session, now=now):
                return []
        mine = {claim.webhook_id for claim in self._under_way.values()}
        with self._pushing.db.write() as session:
            return claim_webhooks(session, now=now, most=room, avoid=mine)

    def _ended(self, future: Future[int]) -> None:
        claim = self._under_way.pop(future)
        error = future.exception()
        if error is not None:  # its lease ends by itself
            log.error("delivering broke", webhook_id=claim.webhook_id, exc_info=error)


@contextmanager
def pushing_beside(pushing: Pushing, stop: threading.Event) -> Iterator[None]:
    """Push in threads of their own while the block runs, or until told to stop."""
    deliverer = threading.Thread(target=deliver, args=(pushing, stop), name="push")
    chores = threading.Thread(target=_chores, args=(pushing, stop), name="chores", daemon=True)
    deliverer.start()
    chores.start()
    try:
        yield
    finally:
        stop.set()
        deliverer.join()
        chores.join(CHORES_STOP_WITHIN.total_seconds())


def deliver(pushing: Pushing, stop: threading.Event) -> None:
    """Fan out and deliver until told to stop. Trouble with the database ends nothing."""
    deliverer = Deliverer(pushing)
    while not stop.is_set():
        try:
            idle = deliverer.turn()
        except DBAPIError as error:
            log.error("deliveries wait for the database", reason=str(error.orig))  # noqa: TRY400 - the reason is enough
            stop.wait(AFTER_TROUBLE.total_seconds())
        except Exception:  # an error of ours must not end what is to run for years
            log.exception("pushing stumbled and goes on")
            stop.wait(AFTER_TROUBLE.total_seconds())
        else:
            if idle:
                stop.wait(GLANCE.total_seconds())
            else:
                deliverer.rest(GLANCE)
    deliverer.stop()


def _chores(pushing: Pushing, stop: threading.Event) -> None:
    called_back_at = float("-inf")
    while not stop.is_set():
        pause = AFTER_MAIL_TROUBLE
        try:
            if time.monotonic() - called_back_at >= CALL_BACK_EVERY.total_seconds():
                called_back_at = time.monotonic()
                call_back(pushing)
            if do_chores(pushing, stop):
                pause = CHORES_EVERY
        except DBAPIError as error:
            log.error("mails wait for the database", reason=str(error.orig))  # noqa: TRY400 - the reason is enough
        except Exception:
            log.exception("a chore broke and is tried again")
        stop.wait(pause.total_seconds())
