"""Who sent the request that is answered now, as the limiter sees it and authentication finds."""

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

APART_SECONDS: Final = 0.004
"""Between two requests of a client while others of it wait, and after one that was refused."""


@dataclass(slots=True, weakref_slot=True)
class Client:
    """The requests of a client that are in hand, one of which is answered at a time."""

    requests: int = 0
    place: asyncio.Lock = field(default_factory=asyncio.Lock)

    def free_place(self) -> None:
        """Let the next request be answered.

        The limiter holds clients weakly: whoever will call this keeps the client until then.
        """
        self.place.release()


@dataclass(slots=True)
class Sender:
    """The sender of a request.

    ``account_id`` is known once its credential was found to be valid, ``is_wrong`` that it is not.
    ``headers`` go out with the response.
    """

    name: str
    credential: str | None = None
    account_id: int | None = None
    is_wrong: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    client: Client | None = None
    began: float | None = None

    async def take_place(self) -> None:
        """Wait until the request may be answered."""
        if self.client is not None:
            await self.client.place.acquire()
            self.began = asyncio.get_running_loop().time()

    def leave_place(self, status: int = 200) -> None:
        """Let another request of the client be answered, after a refusal not at once."""
        if self.client is None or self.began is None:
            return
        loop, ends, self.began = asyncio.get_running_loop(), self.began + APART_SECONDS, None
        if (self.client.requests > 1 or status >= 400) and ends > loop.time():
            loop.call_at(ends, self.client.free_place)
        else:
            self.client.free_place()


current_sender: Final[ContextVar[Sender | None]] = ContextVar("changewire_sender", default=None)


def note_account(account_id: int) -> None:
    """Remember whose credential the request that is answered now has carried."""
    sender = current_sender.get()
    if sender is not None:
        sender.account_id = account_id


def note_wrong_credential() -> None:
    """Remember that the credential of the request that is answered now is not valid."""
    sender = current_sender.get()
    if sender is not None:
        sender.is_wrong = True


def leave_place() -> None:
    """Let another request of the client be answered while this one waits for something new."""
    sender = current_sender.get()
    if sender is not None:
        sender.leave_place()
