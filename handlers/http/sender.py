"""Who sent a request, as admission sees it and authentication finds out (docs/decisions/0199)."""

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final


@dataclass(slots=True)
class Sender:
    """Who sent the request that is answered now.

    ``client`` is who shares the queue; ``account_id`` is known once its credential was found to be
    valid, ``is_wrong`` that it is not. ``headers`` go out with the response.
    """

    client: str
    price: int
    credential: str | None = None
    account_id: int | None = None
    is_wrong: bool = False
    waits: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


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
