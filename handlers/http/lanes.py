"""A fair queue: each client has a bounded number of requests answered at a time.

Others wait behind the first ones of the same client, never behind those of somebody else. While
two clients ask, each has one request answered at a time, and one with a crowd of waiting requests
leaves the interpreter, which all threads share, to the others for half of the time.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Final

WIDTH: Final = 4
"""Ordinary requests of one client that are answered at a time while nobody else asks."""
SHARED: Final = 1
"""The same while somebody else asks, or has within ``RECENTLY`` seconds."""
RECENTLY: Final = 1.0
CROWD: Final = 5
"""Waiting requests of one client that are a crowd: programs that take turns have fewer."""
LONGEST_REST: Final = 0.1
"""Seconds that a crowd rests after an answer, or as long as that took, while somebody else asks."""
LONGEST: Final = 256
"""Requests of one client that wait."""
PATIENCE: Final = 5.0
"""Seconds that a request waits for those before it."""


class Crowded(Exception):
    """Too many requests of one client wait, or one has waited too long."""


@dataclass(eq=False, slots=True)
class Turn:
    """A request that waits."""

    weight: int
    loop: asyncio.AbstractEventLoop
    begins: asyncio.Future[None]


@dataclass(slots=True)
class Lane:
    """The requests of one client: how many are answered now, and which wait."""

    taken: int = 0
    waiting: deque[Turn] = field(default_factory=deque)


class Lanes:
    """Lanes by client; those that are empty are not kept."""

    def __init__(
        self,
        *,
        width: int = WIDTH,
        shared: int = SHARED,
        longest: int = LONGEST,
        patience: float = PATIENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.width = width
        self._shared = min(shared, width)
        self._longest = longest
        self._patience = patience
        self._clock = clock
        self._lanes: dict[str, Lane] = {}
        self._last, self._last_at = "", -inf  # who asked last
        self._other_at = -inf  # when somebody else did
        self._lock = threading.Lock()  # one process may have several event loops

    def waiting(self, client: str) -> int:
        """Return how many requests of a client wait."""
        lane = self._lanes.get(client)
        return 0 if lane is None else len(lane.waiting)

    @asynccontextmanager
    async def place(self, client: str, weight: int) -> AsyncIterator[None]:
        """Wait for room, and take it while the block runs. Raises Crowded."""
        turn = self._take(client, weight)
        if turn is not None:
            await self._wait(client, turn)
        begun = self._clock()
        try:
            yield
            if self.waiting(client) >= CROWD and not self._is_alone(client):
                await asyncio.sleep(min(self._clock() - begun, LONGEST_REST))
        finally:
            self._leave(client, weight)

    def _take(self, client: str, weight: int) -> Turn | None:
        """Take room at once and return None, or queue for it."""
        with self._lock:
            if client != self._last:
                self._other_at = self._last_at
            self._last, self._last_at = client, self._clock()
            lane = self._lanes.setdefault(client, Lane())
            if not lane.waiting and self._fits(client, lane, weight):
                lane.taken += weight
                return None
            if len(lane.waiting) >= self._longest:
                raise Crowded
            loop = asyncio.get_running_loop()
            turn = Turn(weight, loop, loop.create_future())
            lane.waiting.append(turn)
            return turn

    def _fits(self, client: str, lane: Lane, weight: int) -> bool:
        """Tell whether there is room for one more; whoever has nothing answered has it."""
        room = self.width if self._is_alone(client) else self._shared
        return not lane.taken or lane.taken + weight <= room

    def _is_alone(self, client: str) -> bool:
        """Tell whether nobody else asks, or has asked recently."""
        others_at = self._other_at if client == self._last else self._last_at
        return self._clock() - others_at > RECENTLY

    async def _wait(self, client: str, turn: Turn) -> None:
        try:
            async with asyncio.timeout(self._patience):
                await turn.begins
        except (TimeoutError, asyncio.CancelledError) as error:
            self._give_up(client, turn)
            if isinstance(error, TimeoutError):
                raise Crowded from None
            raise

    def _give_up(self, client: str, turn: Turn) -> None:
        with self._lock:
            lane = self._lanes[client]
            is_waiting = turn in lane.waiting
            if is_waiting:
                lane.waiting.remove(turn)
        self._leave(client, 0 if is_waiting else turn.weight)

    def _leave(self, client: str, weight: int) -> None:
        """Give room back, and let those begin for whom there is room now."""
        with self._lock:
            lane = self._lanes[client]
            lane.taken -= weight
            while lane.waiting and self._fits(client, lane, lane.waiting[0].weight):
                turn = lane.waiting.popleft()
                if not turn.loop.is_closed():
                    lane.taken += turn.weight
                    turn.loop.call_soon_threadsafe(_begin, turn.begins)
            if not lane.taken and not lane.waiting:
                del self._lanes[client]


def _begin(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)
