"""A mail, and the types of the functions that send one."""

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
"""Queues a mail; returns before the mail server has accepted it."""

Carrier: TypeAlias = Callable[[Mail], None]
"""Sends a mail; returns when the mail server has accepted it. Raises Undelivered."""


class Undelivered(Exception):
    """A mail could not be sent. ``lasting``: another attempt would not help.

    ``any_mail``: no other mail would be accepted either, because the server cannot be reached or
    refuses all of them. That says nothing about the recipient.
    """

    def __init__(self, reason: str, *, lasting: bool, any_mail: bool = False) -> None:
        super().__init__(reason)
        self.lasting = lasting
        self.any_mail = any_mail


def no_mailer(mail: Mail) -> None:
    """Raise RuntimeError: the mailer of an application that sends no mail."""
    raise RuntimeError(f"No mailer is set up to send {mail.subject!r}.")
