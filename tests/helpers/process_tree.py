"""Processes that others started."""

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            for child in (task / "children").read_text().split():
                found += [*descendants(int(child)), int(child)]
    return found


def alive(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def survivors(processes: Iterable[int], *, seconds: float) -> list[int]:
    """Return the processes that are still alive after this time."""
    until = time.monotonic() + seconds
    while (living := [each for each in processes if alive(each)]) and time.monotonic() < until:
        time.sleep(0.05)
    return living
