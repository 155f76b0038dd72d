"""What processes use, as Linux counts it."""

import os
import resource
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of_children() -> float:
    """Return the processor seconds of this process's children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds_of(pid: int) -> float:
    """Return the processor seconds of a process, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def resident_bytes() -> int:
    """Return the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def most_bytes(status: str) -> int:
    """Return the most resident memory that a process had, by its status in /proc."""
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024
