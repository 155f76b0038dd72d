"""Who sent the request that is answered now, as the limiter sees it and authentication finds."""

import asyncio
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

AT_ONCE: Final = 4
"""Requests of one client that are answered at a time; its others wait."""


@dataclass(slots=True)
class Client:
    """The requests of a client that are in hand, and the places of those that are answered."""

    requests: int = 0
    places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))


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
    has_place: bool = False

    async def take_place(self) -> None:
        """Wait until the request may be answered."""
        if self.client is not None:
            await self.client.places.acquire()
            self.has_place = True

    def leave_place(self) -> None:
        """Let another request of the client be answered."""
        if self.client is not None and self.has_place:
            self.has_place = False
            self.client.places.release()


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
