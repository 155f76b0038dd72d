"""The id of a request."""

from contextvars import ContextVar
from typing import Final

current_request_id: Final[ContextVar[str]] = ContextVar("changewire_request_id")


def request_id() -> str:
    """Return the id of the request that is answered now."""
    return current_request_id.get("none")
