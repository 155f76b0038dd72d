"""Windows of the rate limiter in this process's memory, as a storage of ``limits``.

The library's own memory storage starts a thread that looks at all windows up to a hundred times a
second: with 100,000 addresses, half of a processor.
"""

import time
from typing import Final

from limits.storage import Storage

SWEEP_SECONDS: Final = 10.0
"""Between two times that windows which have ended are dropped."""


class Windows(Storage):
    """Counts by key, each until its window ends. For one thread: the event loop."""

    STORAGE_SCHEME = None
    base_exceptions = ValueError

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, tuple[int, float]] = {}
        self._sweep_at = 0.0

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Add to a count, which begins anew where its window has ended; return it."""
        now = time.time()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            self._counts = {name: own for name, own in self._counts.items() if own[1] > now}
        count, end = self._counts.get(key, (0, 0.0))
        if end <= now:
            count, end = 0, now + expiry
        self._counts[key] = count + amount, end
        return count + amount

    def get(self, key: str) -> int:
        """Return the count of a window, 0 where it has ended."""
        count, end = self._counts.get(key, (0, 0.0))
        return count if end > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """Return when a window ends, as seconds since the epoch."""
        return self._counts.get(key, (0, time.time()))[1]

    def check(self) -> bool:
        """Return True: memory is always there."""
        return True

    def reset(self) -> int:
        """Forget all windows; return how many there were."""
        count = len(self._counts)
        self._counts.clear()
        return count

    def clear(self, key: str) -> None:
        """Forget a window."""
        self._counts.pop(key, None)
