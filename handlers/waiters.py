"""How many requests wait for something new, and when there is (docs/decisions/0041).

A request that waits sleeps on the event loop: it holds neither a thread nor a connection of the
database. All of a process share one look at the number of the newest change.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Final

from handlers.threads import in_thread

MOST: Final = 100  # of one process, well below the connections that its server takes
MOST_OF_ONE: Final = 10  # of one account
INTERVAL_SECONDS: Final = 0.25
LONGEST_SECONDS: Final = 8.0  # many clients and proxies give up after ten


class Waiters:
    """The requests of a process that wait."""

    def __init__(
        self, *, most: int = MOST, most_of_one: int = MOST_OF_ONE, longest: float = LONGEST_SECONDS
    ) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self.longest = longest
        self._waiting: Counter[Hashable] = Counter()
        self._polling = asyncio.Lock()
        self._polled_at = 0.0
        self._newest = 0
        self.stopping = False

    @property
    def count(self) -> int:
        """How many requests wait."""
        return self._waiting.total()

    def stop(self) -> None:
        """Let nobody wait any longer, because the process ends. Signal handlers may call this."""
        self.stopping = True

    def admits(self, account_id: Hashable) -> bool:
        """Return whether one more request of an account may wait."""
        free = self.count < self._most and self._waiting[account_id] < self._most_of_one
        return free and not self.stopping

    @contextmanager
    def place(self, account_id: Hashable) -> Iterator[None]:
        """Count a request of an account while it waits."""
        self._waiting[account_id] += 1
        try:
            yield
        finally:
            self._waiting[account_id] -= 1
            if not self._waiting[account_id]:
                del self._waiting[account_id]

    async def newest(self, read: Callable[[], int]) -> int:
        """Return what ``read`` returned at most an interval ago."""
        async with self._polling:
            if time.monotonic() - self._polled_at >= INTERVAL_SECONDS:
                self._newest = await in_thread(read)
                self._polled_at = time.monotonic()
            return self._newest
