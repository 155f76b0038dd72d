"""A 429 is held back: the longer, the more of them a client gets (docs/decisions/0199)."""

import asyncio
import time
from datetime import UTC, datetime, timedelta

from handlers.http.admission import TOGETHER, Admission
from handlers.http.sender import Sender, current_sender

PAUSE = 0.02
MANY = 20 * TOGETHER


async def seconds_held_back(admission, client):
    """Return how long the 429 of a request of a client is held back."""
    current_sender.set(Sender(client, 1))
    began = time.perf_counter()
    await admission.pause()
    return time.perf_counter() - began


def test_a_client_that_gets_many_429s_at_once_waits_longer_for_each_and_nobody_else_does():
    admission = Admission(
        now=lambda: datetime.now(UTC), bases=["/api/v1"], pause=timedelta(seconds=PAUSE)
    )

    async def run():
        time.sleep(1 - time.monotonic() % 1)
        crowd = [seconds_held_back(admission, "address/a") for _ in range(MANY)]
        return await asyncio.gather(*crowd, seconds_held_back(admission, "address/b"))

    *held, other = asyncio.run(run())

    assert min(held) >= PAUSE
    assert held[-1] >= PAUSE * MANY / TOGETHER
    assert max(held[0], other) < held[-1] / 2
