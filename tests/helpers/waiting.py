"""Waiting for what other processes and threads do."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], seconds: float = 240) -> None:
    """Wait until a condition holds; fail if it does not in a long time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "It did not happen."
        time.sleep(0.02)
