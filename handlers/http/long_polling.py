"""Responses that wait for new changes (docs/decisions/0041)."""

import asyncio
import time
from collections.abc import Callable

from starlette.types import Receive

from handlers.context import context
from handlers.http.limiter import leave_place
from handlers.http.outcome import HeldResponse, Outcome
from handlers.threads import in_thread
from handlers.waiters import INTERVAL_SECONDS
from storage.entries.changes import newest_change


async def wait_for_change(
    outcome: Outcome, held: HeldResponse, answer: Callable[[], Outcome], receive: Receive
) -> Outcome | None:
    """Return the outcome once it has something new, or at the end of its time.

    None where the client has gone, so that nobody reads it.
    """
    waiters = context().waiters
    if not waiters.admits(held.account_id):
        return outcome
    ends_at = time.monotonic() + min(held.seconds, waiters.longest)
    leave_place()
    with waiters.place(held.account_id):
        gone = asyncio.create_task(_disconnected(receive))
        try:
            while not waiters.stopping and (left := ends_at - time.monotonic()) > 0:
                await asyncio.wait({gone}, timeout=min(INTERVAL_SECONDS, left))
                if gone.done():
                    return None
                if await waiters.newest(_newest) != held.newest:
                    outcome = await in_thread(answer)
                    if outcome.held is None:
                        return outcome
                    held = outcome.held
        finally:
            gone.cancel()
    return outcome


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _newest() -> int:
    with context().db.read() as session:
        return newest_change(session)
