"""Outcomes of a request inside of its thread."""

from dataclasses import dataclass, field
from typing import Any, Final

from starlette.responses import Response
from starlette.types import Message

from handlers.http.auth import Caller
from handlers.http.caching import FileStream

OUTCOME: Final = "changewire.outcome"
"""The key of the Outcome in the ASGI scope of a request."""


@dataclass(frozen=True, slots=True)
class HeldResponse:
    """A response without anything new; it is sent if that stays so for ``seconds``
    or for as long as any request may wait.

    ``newest`` is the number of the newest change that it was made with.
    """

    response: Response
    seconds: int
    newest: int
    account_id: int


@dataclass(slots=True)
class Outcome:
    """The messages of a response, and what the layers of a request leave to others.

    ``values``: its query, headers and body as validation read them. ``headers`` are added to the
    response. ``file`` is the response where it is streamed. ``held``: how long it is held back.
    """

    messages: list[Message] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)
    caller: Caller | None = None
    file: FileStream | None = None
    held: HeldResponse | None = None
