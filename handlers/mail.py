"""A mail as the pages write it; who carries it is the assembly's business."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Mail:
    """Plain text for one person. ``recipient`` is a bare address, ``subject`` one line."""

    recipient: str
    subject: str
    text: str


Mailer: TypeAlias = Callable[[Mail], None]
"""Takes a mail for delivery. It returns before a distant server has answered."""


def no_mailer(mail: Mail) -> None:
    """Stand in for a mailer where an application sends none; sending is a fault of ours."""
    raise RuntimeError(f"There is no mailer, and somebody wants to send {mail.subject!r}.")
