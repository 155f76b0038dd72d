"""Responses that are held back until there is something new (docs/decisions/0041)."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive

from handlers.context import context
from handlers.http.sender import leave_place
from handlers.waiters import INTERVAL
from storage.entries.changes import newest_change


@dataclass(frozen=True, slots=True)
class HeldResponse:
    """A response without anything new; it is sent if that stays so for ``seconds``
    or for as long as any request may wait.

    ``newest`` is the number of the newest change that it was made with.
    """

    response: Response
    seconds: int
    newest: int
    account_id: int


async def wait_for_change(
    held: HeldResponse, respond: Callable[[], Response | HeldResponse], receive: Receive
) -> Response | None:
    """Return the response once it has something new, or at the end of its time.

    None where the client has gone, so that nobody reads it.
    """
    waiters = context().waiters
    if not waiters.admits(held.account_id):
        return held.response
    ends_at = time.monotonic() + min(held.seconds, waiters.longest)
    leave_place()
    with waiters.place(held.account_id):
        gone = asyncio.create_task(_disconnected(receive))
        try:
            while not waiters.stopping and (left := ends_at - time.monotonic()) > 0:
                await asyncio.wait({gone}, timeout=min(INTERVAL, left))
                if gone.done():
                    return None
                if await waiters.newest(_newest) != held.newest:
                    response = await run_in_threadpool(respond)
                    if isinstance(response, Response):
                        return response
                    held = response
        finally:
            gone.cancel()
    return held.response


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _newest() -> int:
    with context().db.read() as session:
        return newest_change(session)
