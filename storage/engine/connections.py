"""How many connections to PostgreSQL a process has, and how it gets them."""

from dataclasses import dataclass
from typing import Final

CONNECTIONS: Final = 20  # of a process at most; half of them are opened in a rush, closed after it
WORKERS_CONNECTIONS: Final = 6  # no thread of a worker holds one during a request or a parse
LONGEST_WAIT_FOR_CONNECTION_S: Final = 5
LONGEST_QUEUE_S: Final = 60  # for a connection, where there are fewer than threads


@dataclass(frozen=True, slots=True)
class Connections:
    """How a process connects. ``pooler``: over one that gives a connection for a transaction.

    ``longest_wait``: seconds that a thread waits for one of ``most``.
    """

    most: int = CONNECTIONS
    pooler: bool = False
    longest_wait: int = LONGEST_WAIT_FOR_CONNECTION_S


DIRECT: Final = Connections()
