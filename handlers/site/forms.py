"""Validation of forms. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, TypeVar

from openapi.vocabulary import Scope
from storage.people.accounts import Refused, name_for

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)
EXPIRIES: Final = {"": None, "90": timedelta(days=90), "365": timedelta(days=365)}


class WrongForm(Exception):
    """An invalid form. The message says what to change."""


@dataclass(frozen=True, slots=True)
class KeyForm:
    """The submitted form of a new key. ``lifetime`` is None for a key that does not expire."""

    name: str
    scopes: tuple[Scope, ...]
    lifetime: timedelta | None


def parse_key_form(*, name: str, scopes: Sequence[str], expiry: str) -> KeyForm:
    """Read the form of a new key. Raises WrongForm."""
    clean = form_name("key", name)
    if not scopes or not set(scopes) <= set(Scope):
        raise WrongForm("Choose at least one thing that the key may do.")
    if expiry not in EXPIRIES:
        raise WrongForm("Choose one of the offered lifetimes.")
    return KeyForm(clean, tuple(scope for scope in Scope if scope in scopes), EXPIRIES[expiry])


def form_name(what: str, text: str) -> str:
    """Read the name of a key or webhook. Raises WrongForm."""
    try:
        return name_for(what, text)
    except Refused as error:
        raise WrongForm(str(error)) from error


def parse_offset(text: str | None) -> int:
    """Read where a page of a list starts; 0 for anything invalid."""
    digits = text is not None and text.isascii() and text.isdigit() and len(text) <= 6
    return int(text) if digits and text is not None else 0


def parse_day(text: str | None) -> date | None:
    """Read a day; None for anything else."""
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def parse_choice(choices: type[ChoiceT], text: str | None) -> ChoiceT | None:
    """Read one of some choices; None for anything else."""
    return choices(text) if text in list(choices) else None


def parse_word(text: str | None, longest: int = 100) -> str | None:
    """Read search words; None if there are none."""
    clean = " ".join((text or "").replace("\x00", "").split())[:longest]
    return clean or None
