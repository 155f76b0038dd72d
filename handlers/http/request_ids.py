"""The id of a request, and how its line is written into the log."""

from contextvars import ContextVar
from typing import Final, Protocol

current_request_id: Final[ContextVar[str]] = ContextVar("changewire_request_id")


def request_id() -> str:
    """Return the id of the request that is answered now."""
    return current_request_id.get("none")


class NoteRequest(Protocol):
    """Writes the line of a request that is over into the log; ``status`` None for no answer."""

    def __call__(
        self, *, method: str, path: str, status: int | None, milliseconds: float
    ) -> object:
        """Write it."""
