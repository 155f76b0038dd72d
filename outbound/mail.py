"""A mail, and the types of functions that send it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail for one person. ``recipient`` is a bare address, ``subject`` one line.

    ``html`` says the same as ``text`` for readers that show HTML. ``headers`` are further header
    fields in ASCII, such as List-Unsubscribe.
    """

    recipient: str
    subject: str
    text: str
    html: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=())


Mailer: TypeAlias = Callable[[Mail], None]
"""Takes a mail for delivery. It returns before a distant server has answered."""

Carrier: TypeAlias = Callable[[Mail], None]
"""Hands a mail over before it returns. Raises Undelivered."""


class Undelivered(Exception):
    """A mail could not be handed over. ``lasting``: trying again would not help.

    ``any_mail``: no other mail would get through either: the server cannot be reached or refuses
    all of ours. That says nothing about the recipient.
    """

    def __init__(self, reason: str, *, lasting: bool, any_mail: bool = False) -> None:
        super().__init__(reason)
        self.lasting = lasting
        self.any_mail = any_mail


def no_mailer(mail: Mail) -> None:
    """Stand in for a mailer where an application sends no mail; sending raises RuntimeError."""
    raise RuntimeError(f"No mailer is set up to send {mail.subject!r}.")
