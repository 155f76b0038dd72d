"""Which pages were read quickly a moment ago, so that the event loop itself may read them now.

A change of thread costs more than the query of a usual page. What must not happen on the event loop
is waiting: for a disk, or for a query that takes long. Both are measured whenever a page is read:
the processor time of the thread, and the blocks that the system had to read for it. A page that
needed none is in memory, and a minute later it still is (docs/decisions/0053).
"""

import math
import sys
import time
from datetime import datetime, timedelta
from typing import Final, NamedTuple

MOST_SECONDS: Final = 0.002
STAYS: Final = timedelta(minutes=1)
MOST_REMEMBERED: Final = 5_000


class Effort(NamedTuple):
    """What a thread has done since it began: processor seconds, blocks read from disks."""

    seconds: float
    blocks: int


if sys.platform == "linux":
    from resource import RUSAGE_THREAD, getrusage

    def effort() -> Effort:
        """Return what this thread has done."""
        return Effort(time.thread_time(), getrusage(RUSAGE_THREAD).ru_inblock)

else:

    def effort() -> Effort:
        """Say that it is not known here how often a thread waited; nothing is quick then."""
        return Effort(math.nan, 0)


class QuickPages:
    """The pages of one application that were read quickly, each with the moment.

    Nothing of an answer is in here, and nothing of who asked: only how a page is asked for, by its
    operation and its query.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, bytes], datetime] = {}

    def has(self, page: tuple[str, bytes], *, now: datetime) -> bool:
        """Tell whether a page was read quickly within the last minute."""
        seen = self._seen.get(page)
        return seen is not None and abs(now - seen) < STAYS

    def note(self, page: tuple[str, bytes], began: Effort, *, now: datetime) -> None:
        """Remember how reading a page went, which this thread has done since ``began``."""
        ended = effort()
        if ended.blocks == began.blocks and ended.seconds - began.seconds <= MOST_SECONDS:
            if len(self._seen) >= MOST_REMEMBERED:
                self._seen.clear()
            self._seen[page] = now
        else:
            self.forget(page)

    def forget(self, page: tuple[str, bytes]) -> None:
        """Let a page be one that nobody asked for."""
        self._seen.pop(page, None)
